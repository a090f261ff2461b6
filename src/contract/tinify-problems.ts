/**
 * Problems of the routes for Tinify's clients, and how any problem looks to them: another status for some,
 * and a body with `error` and `message`.
 */
import { ImageRefused } from './image-problems';
import { fixedProblem, Problem, type ProblemCode } from './problem';

export const missingBasicKey = fixedProblem(
  'missing_api_key',
  'Send an API key of this service with HTTP Basic authentication: any user name, and the key as the password.',
);

export const inputMissing = fixedProblem('missing_image', 'Input missing: send the image as the body.');

export const noUrlSources = fixedProblem(
  'invalid_request',
  'This service takes no URLs; download the image and send its bytes as the body.',
);

export const noSuchOutput = fixedProblem(
  'not_found',
  'There is no such output: outputs are deleted after an hour, or earlier when the store is full.',
);

export const tooManyUnknownOutputs = (waitSeconds: number) =>
  new Problem('rate_limited', `Too many requests for unknown outputs; try again in ${waitSeconds} s.`, {
    retryAfter: waitSeconds,
  });

export const outputOfAnotherAccount = fixedProblem(
  'not_found',
  'This account has no such output; commands need the account that uploaded the image.',
);

export const invalidCommand = (rule: string) => new Problem('invalid_request', rule);

export const unknownTypes = (known: readonly string[]) =>
  new Problem('invalid_request', `The command "convert" takes the types ${known.join(', ')} and */*.`);

/** How Tinify names a problem, and its status where that differs. */
interface TinifyError {
  readonly error: string;
  readonly status?: number;
}

/** Clients take a key as valid if it is refused with another status than 401 or 429. */
const ERRORS: Readonly<Partial<Record<ProblemCode, TinifyError>>> = {
  missing_api_key: { error: 'Unauthorized' },
  invalid_api_key: { error: 'Unauthorized' },
  trial_expired: { error: 'Unauthorized' },
  account_suspended: { error: 'Unauthorized', status: 401 },
  trial_used_up: { error: 'TooManyRequests', status: 429 },
  rate_limited: { error: 'TooManyRequests' },
  missing_image: { error: 'InputMissing' },
  invalid_request: { error: 'BadRequest' },
  cannot_convert: { error: 'BadRequest', status: 400 },
};

/** Returns the status and the body for Tinify's clients. */
export function tinifyError(problem: Problem) {
  const { error, status = problem.status } = ERRORS[problem.code] ?? { error: inCamelCase(problem.code) };
  return { status, body: { error, message: describeProblem(problem) } };
}

/** The advice for other entry points does not help here: their options have other names. */
function describeProblem(problem: Problem) {
  if (!(problem instanceof ImageRefused) || problem.code !== 'cannot_convert') return problem.detail;
  if (problem.reason !== 'transparency') return problem.message;
  return `${problem.message} Send "transform" with a "background", such as {"background": "white"}.`;
}

function inCamelCase(code: ProblemCode) {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
