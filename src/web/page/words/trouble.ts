/** What went wrong, in words for people. */
import type { Problem, ProblemCode } from '../../../contract/problem';
import { bytesText } from '../../../contract/units';
import { adviceFor } from './advice';

export interface Trouble {
  /** The stable code of the contract; absent when the service did not speak. */
  readonly code?: string;
  readonly status: number;
  readonly title: string;
  /** What happened, and what to do next. */
  readonly text: string;
  readonly retryAfterSeconds?: number;
  readonly requestId?: string;
}

/** Reads problem details; anything else (a proxy's own page) is described by its status. */
export function troubleFrom(status: number, body: string): Trouble {
  const problem = parseObject(body);
  const { code, title, detail, limit, actual, retry_after: retryAfter, request_id: requestId } = problem;
  if (typeof code !== 'string' || typeof title !== 'string' || typeof detail !== 'string') {
    return {
      status,
      title: 'An unexpected response',
      text: `Something between you and the service responded with status ${status}. Try again in a moment.`,
    };
  }
  return {
    code,
    status,
    title,
    text: textFor(code, detail),
    ...(code === 'budget_unreachable' ? overBudget(Number(limit), Number(actual)) : {}),
    ...(typeof retryAfter === 'number' ? { retryAfterSeconds: retryAfter } : {}),
    ...(typeof requestId === 'string' && status >= 500 ? { requestId } : {}),
  };
}

/** The service speaks of parameters; people chose a size. */
function overBudget(limit: number, actual: number): Pick<Trouble, 'title' | 'text'> {
  return {
    title: `It does not fit into ${bytesText(limit)}`,
    text: `At acceptable quality it takes ${bytesText(actual)} at least. ${adviceFor('budget_unreachable')}`,
  };
}

/** The service's own refusal, found out before anything was sent. */
export function troubleOf({ code, status, detail, title }: Problem): Trouble {
  return { code, status, title, text: textFor(code, detail) };
}

/** Problems whose detail repeats the title, or gives the advice that the page gives. */
const REPETITIVE: ReadonlySet<string> = new Set<ProblemCode>([
  'unsupported_media_type',
  'missing_image',
  'trial_expired',
  'trial_used_up',
  'account_exists',
  'too_many_keys',
  'internal_error',
  'overloaded',
  'deadline_exceeded',
  'draining',
  'dependency_unavailable',
]);

/** What happened, as far as the title does not say it, and what to do next. */
function textFor(code: string, detail: string): string {
  if (REPETITIVE.has(code)) return adviceFor(code);
  const sentence = detail
    .replace(/^The \w+ cannot be decoded: it /, 'It ')
    .replace(/; try again (in \d+ s|later)\.$/, '.');
  return `${sentence} ${adviceFor(code)}`.trim();
}

export const UNREADABLE_FILE: Trouble = {
  status: 0,
  title: 'The file cannot be read',
  text: 'If it is a folder, open it and add the images in it; if it was moved or changed, add it again.',
};

export const CONNECTION_LOST: Trouble = {
  status: 0,
  title: 'The connection broke off',
  text: 'The service is there, but the upload did not get through. Try again, on a better connection if there is one.',
};

export const UNREACHABLE: Trouble = {
  status: 0,
  title: 'The service cannot be reached',
  text: 'Check your connection. Nothing in your list is lost.',
};

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
