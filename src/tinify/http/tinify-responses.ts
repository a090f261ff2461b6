/** What responses of Tinify's API have: `Compression-Count`, and errors of its shape. */
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { UsageService } from '../../accounts/application/usage.service';
import type { Problem } from '../../contract/problem';
import { tinifyError } from '../../contract/tinify-problems';
import { ProblemFilter } from '../../http/problem.filter';
import { callerOf } from '../../http/requests';

/** Sets the header `Compression-Count` to the images of the authenticated account in the current month. */
export async function setCompressionCount(usage: UsageService, req: Request, res: Response): Promise<void> {
  const images = await usage.imagesThisMonth(callerOf(req).accountId);
  res.setHeader('Compression-Count', String(images));
}

/** Sends problems as `{"error", "message"}`. */
@Injectable()
export class TinifyErrorFilter extends ProblemFilter {
  protected override send(problem: Problem, _req: Request, res: Response): void {
    const { status, body } = tinifyError(problem);
    if (status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="api"');
    res.status(status).json(body);
  }
}
