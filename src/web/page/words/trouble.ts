import type { Problem, ProblemCode } from '../../../contract/problem';
import { extensionOf, otherFormat, withArticle, type Formats } from '../../../contract/formats';
import { notAnImage, type RefusalReason } from '../../../contract/image-problems';
import { bytesText } from '../../../contract/units';

const RELOAD = 'Reload the page: it may be older than the service.';

export interface Trouble {
  /** The stable code of the contract; absent when the service did not speak. */
  readonly code?: string | undefined;
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
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
    text: textFor(code, detail, reason),
    // The service speaks of parameters; people chose a size. The button beside it names the size that is possible.
    ...(code === 'budget_unreachable' && {
      title: `Does not fit into ${bytesText(Number(limit))}`,
      text: '',
      leastBytes: Number(actual),
    }),
    retryAfterSeconds: typeof retryAfter === 'number' ? retryAfter : undefined,
    requestId: typeof requestId === 'string' && status >= 500 ? requestId : undefined,
  };
}

export function wrongFormat(start: Uint8Array, name: string, formats: Formats): Trouble {
  const { code, status } = notAnImage(start);
  const kind = otherFormat(start, formats);
  const format = formats.namedUpload(name);
  const claimed = format && formats.of(format).label;
  const although = claimed ? `, although its name ends in .${extensionOf(name)}` : '';
  if (kind === undefined) {
    const denied = withArticle(claimed ?? formats.uploads.or);
    return { code, status, title: `This is not ${denied}${although}`, text: '' };
  }
  return {
    code,
    status,
    title: `This is ${kind}${although}`,
    text:
      lossWords(start, kind, formats) ??
      EXPORTS[kind] ??
      `Export it as ${formats.uploads.or}, then add it again.`,
  };
}

const EXPORTS: Readonly<Partial<Record<string, string>>> = {
  'a HEIC':
    'On an iPhone or a Mac, export it as JPG. For new photos choose Settings, Camera, Formats, Most Compatible.',
  'a PDF': 'Export its pages as images.',
};

/** For a format that this service only writes. */
function lossWords(start: Uint8Array, kind: string, formats: Formats) {
  if (formats.bySignature(start) === undefined) return undefined;
  return `Use the ${formats.uploads.or} that it was made from: ${kind} has lost quality already.`;
}

export function toTrouble({ code, status, detail, title }: Problem): Trouble {
  return { code, status, title, text: textFor(code, detail) };
}

const ADVICE: Readonly<Partial<Record<ProblemCode, string>>> = {
  image_too_large: 'Save it at a lower quality or with fewer pixels, then add it again.',
  unsupported_media_type: 'Export it in another format, then add it again.',
  undecodable_image: 'Open it in an image editor, save it again, then add it again.',
  too_many_pixels: 'Scale it down, then add it again.',
  needs_too_much_memory: 'Save it in an image editor, then add it again.',
  internal_error: 'If it fails again, report the request id.',
  unexpected_field: RELOAD,
  invalid_request: RELOAD,
  not_found: RELOAD,
};

/** In place of sentences that name parameters or headers, or repeat the title. */
const SENTENCES: Readonly<Partial<Record<ProblemCode | RefusalReason, string>>> = {
  missing_api_key: 'Sign up or sign in.',
  account_exists: 'Use its key. If you lost it, ask the operator of this service for a new one.',
  unsupported_media_type: '',
  internal_error: '',
  deadline_exceeded: 'The service is too busy for it. Try again later, or send a smaller image.',
  dependency_unavailable: 'Try again in a moment.',
  undecodable: 'It is damaged, truncated or of an unsupported type.',
  conversion: 'Choose another format.',
  animation: 'It is animated, and the result would lose its frames. Choose another format.',
  colours: 'No profile can describe its colours. Choose another format.',
  'no-encoder': 'This service cannot write the format. Choose another format.',
  'side-too-long': 'It is larger than the format allows. Choose another format.',
  transparency: 'It has transparency. Choose another format.',
  'nine-patch': 'It is an Android nine-patch, which keeps its format and its size.',
};

function textFor(code: string, detail: string, reason?: unknown) {
  const sentence = findWords(SENTENCES, reason) ?? findWords(SENTENCES, code) ?? detail;
  return `${sentence} ${findWords(ADVICE, code) ?? ''}`.trim();
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

/** The service may be newer than the page, so the word may be unknown. */
export function findWords(words: Readonly<Record<string, string>>, word: unknown) {
  return typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;
}

function parseObject(text: string) {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
