import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem, ProblemCode } from '../../contract/problem';
import { ProblemFilter } from '../../http/problem.filter';

/** How Tinify names a problem, and its status where that differs. */
interface TinifyError {
  readonly error: string;
  readonly status?: number;
}

/**
 * Tinify's clients tell account errors (401, 429) from bad requests (other 4xx), and take a key that is refused with another
 * status for a valid one. So a suspended account is 401, and a trial that is used up is 429, as a spent monthly limit.
 */
const ERRORS: Readonly<Partial<Record<ProblemCode, TinifyError>>> = {
  missing_api_key: { error: 'Unauthorized' },
  invalid_api_key: { error: 'Unauthorized' },
  trial_expired: { error: 'Unauthorized' },
  account_suspended: { error: 'Unauthorized', status: 401 },
  trial_used_up: { error: 'TooManyRequests', status: 429 },
  rate_limited: { error: 'TooManyRequests' },
  missing_image: { error: 'InputMissing' },
  invalid_request: { error: 'BadRequest' },
};

/** Sends problems in the shape of Tinify's API: `{"error", "message"}`. */
@Injectable()
export class TinifyErrorFilter extends ProblemFilter {
  protected override send(problem: Problem, _req: Request, res: Response): void {
    const { error, status = problem.status } = ERRORS[problem.code] ?? { error: inCamelCase(problem.code) };
    if (status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="api"');
    res.status(status).json({ error, message: problem.detail });
  }
}

function inCamelCase(code: ProblemCode): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
