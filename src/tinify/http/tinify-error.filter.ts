import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem } from '../../contract/problem';
import { tinifyError } from '../../contract/tinify-problems';
import { ProblemFilter } from '../../http/problem.filter';

/** Sends problems in the shape of Tinify's API: `{"error", "message"}`. */
@Injectable()
export class TinifyErrorFilter extends ProblemFilter {
  protected override send(problem: Problem, _req: Request, res: Response): void {
    const { status, body } = tinifyError(problem);
    if (status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="api"');
    res.status(status).json(body);
  }
}
