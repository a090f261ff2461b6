/** Errors, in words for people. */
import type { Problem, ProblemCode } from '../../../contract/problem';
import { otherFormat, uploadNamed, UPLOADS } from '../../../contract/formats';
import { notAnImage, type RefusalReason } from '../../../contract/image-problems';
import { bytesText } from '../../../contract/units';

export interface Trouble {
  /** The stable code of the contract; absent when the service did not speak. */
  readonly code?: string | undefined;
  readonly status: number;
  readonly title: string;
  /** The cause, and advice. */
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
  /** If the requested size cannot be reached, the smallest possible size, in bytes. */
  readonly leastBytes?: number;
  readonly requestId?: string | undefined;
}

/** Reads problem details; anything else (a proxy's own page) is described by its status. */
export function troubleFrom(status: number, body: string): Trouble {
  const problem = parseObject(body);
  const { code, title, detail, reason, limit, actual } = problem;
  const { retry_after: retryAfter, request_id: requestId } = problem;
  if (typeof code !== 'string' || typeof title !== 'string' || typeof detail !== 'string') {
    return {
      status,
      title: 'Unexpected response',
      text: `Something between you and the service responded with status ${status}. Try again in a moment.`,
    };
  }
  return {
    code,
    status,
    title,
    text: textFor(code, wordsOf(REFUSED, reason) ?? detail),
    ...(code === 'budget_unreachable' ? overBudget(Number(limit), Number(actual)) : {}),
    retryAfterSeconds: typeof retryAfter === 'number' ? retryAfter : undefined,
    requestId: typeof requestId === 'string' && status >= 500 ? requestId : undefined,
  };
}

/** The service speaks of parameters; people chose a size. */
function overBudget(limit: number, leastBytes: number): Pick<Trouble, 'title' | 'text' | 'leastBytes'> {
  return {
    title: `Does not fit into ${bytesText(limit)}`,
    text: `At acceptable quality it needs at least ${bytesText(leastBytes)}.`,
    leastBytes,
  };
}

/** Refuses a file before it is sent: names its format, and says how to convert it. */
export function wrongFormat(start: Uint8Array, name: string): Trouble {
  const { code, status } = notAnImage(start);
  const kind = otherFormat(start);
  const ending = /\.[^.]+$/.exec(name)?.[0].toLowerCase();
  const claimed = ending === undefined ? undefined : uploadNamed(ending.slice(1));
  if (kind !== undefined) {
    const title = claimed ? `This is ${kind}, although its name ends in ${ending}` : `This is ${kind}`;
    return { code, status, title, text: EXPORTS[kind] ?? adviceFor(code) };
  }
  if (claimed)
    return { code, status, title: `This is not a ${claimed}, although its name ends in ${ending}`, text: '' };
  return { code, status, title: `This is ${UPLOADS.notA}`, text: '' };
}

/** Says how to convert the formats that people send most often. */
const EXPORTS: Readonly<Record<string, string>> = {
  'a HEIC':
    'On an iPhone or a Mac, export it as JPG. For new photos choose Settings, Camera, Formats, Most Compatible.',
  'a WebP': `Use the ${UPLOADS.or} that it was made from: a WebP has lost quality already.`,
  'an AVIF': `Use the ${UPLOADS.or} that it was made from: an AVIF has lost quality already.`,
  'a PDF': `Export its pages as ${UPLOADS.or}.`,
};

/** A refusal of the service that the page predicts before anything is sent. */
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

/** Refusals whose detail names parameters, or repeats the title. */
const REFUSED: Readonly<Partial<Record<RefusalReason, string>>> = {
  undecodable: 'It is damaged, truncated or of an unsupported type.',
  conversion: 'Choose another format.',
  animation: 'It is animated, and the result would lose its frames. Choose another format.',
  colours: 'No profile can describe its colours. Choose another format.',
  'no-encoder': 'This service cannot write the format. Choose another format.',
  'side-too-long': 'It is larger than the format allows. Choose another format.',
  transparency: 'It has transparency. Choose another format.',
  'nine-patch': 'It is an Android nine-patch, which stays a PNG. Choose another format.',
  'nine-patch-size':
    'It is an Android nine-patch: scaled, its frame would no longer say where it stretches. Choose a larger size.',
};

/** Returns the cause, unless the title states it, and advice. */
function textFor(code: string, fact: string): string {
  return REPETITIVE.has(code) ? adviceFor(code) : `${fact} ${adviceFor(code)}`.trim();
}

export const UNREADABLE_FILE: Trouble = {
  status: 0,
  title: 'The file cannot be read',
  text: 'If it was moved or changed, add it again.',
};

export const INCOMPLETE_ADDRESS: Trouble = {
  status: 0,
  title: 'The e-mail address is not complete',
  text: 'Enter one such as you@example.com.',
};

export const CONNECTION_LOST: Trouble = {
  status: 0,
  title: 'The connection was lost',
  text: 'The service is running, but the upload did not get through. Try again, on a better connection if you can.',
};

export const UNREACHABLE: Trouble = {
  status: 0,
  title: 'The service cannot be reached',
  text: 'Your list is safe; the page keeps trying.',
};

/** Advice for every error of the contract: the type checker refuses a code without its sentence. */
const ADVICE: Readonly<Record<ProblemCode, string>> = {
  invalid_multipart: 'Try again. If it fails again, a proxy or browser extension may be changing the upload.',
  missing_image: 'Choose another file.',
  unexpected_field: 'Reload the page: it may be older than the service.',
  too_many_files: 'Reload the page: it may be older than the service.',
  conflicting_credentials: 'Sign out and enter one key.',
  invalid_request: 'Check what you entered. If it is correct, reload the page.',
  missing_api_key: 'Sign up or paste a key.',
  invalid_api_key: 'Paste another key or sign up again.',
  trial_expired: 'All you need is an e-mail address.',
  trial_used_up: 'All you need is an e-mail address.',
  account_suspended: 'Ask the operator of this service, or use a key of another account.',
  signup_closed: 'Ask the operator of this service for a key.',
  not_found: 'Reload the page: it may be older than the service.',
  method_not_allowed: 'Reload the page: it may be older than the service.',
  request_timeout: 'Try again on a faster connection, or with a smaller file.',
  account_exists:
    'Choose “I have a key” and paste it. If you lost it, ask the operator of this service for a new one. The operator runs: npm run -s cli -- key create, followed by the address.',
  too_many_keys: 'Revoke a key that is no longer used.',
  image_too_large: 'Save it at a lower quality or with fewer pixels, then add it again.',
  unsupported_media_type: `Export it as ${UPLOADS.or}, then add it again.`,
  undecodable_image: 'Open it in an image editor, save it again, then add it again.',
  too_many_pixels: 'Scale it down, then add it again.',
  needs_too_much_memory: 'Save it in an image editor, then add it again.',
  // The row offers the ways out.
  budget_unreachable: '',
  // Its sentence says it, as do those of REFUSED.
  cannot_convert: '',
  // The page does not compare.
  cannot_compare: '',
  headers_too_large: 'Clear the cookies of this site, then try again.',
  // Their sentences say it.
  rate_limited: '',
  internal_error: 'Try again. If it fails again, report the request id.',
  overloaded: 'Try again in a moment.',
  deadline_exceeded: 'Try again in a moment, or with a smaller image.',
  draining: 'Try again in a moment.',
  dependency_unavailable: 'Try again in a moment.',
};

function adviceFor(code: string): string {
  return wordsOf(ADVICE, code) ?? 'Try again.';
}

/** The service may be newer than the page, so the word may be unknown. */
function wordsOf(words: Readonly<Record<string, string>>, word: unknown): string | undefined {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
