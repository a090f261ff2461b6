/**
 * Every error code that a client can receive (RFC 9457), with its status and title. Codes are stable; titles
 * and details may change. The details, one sentence for each occurrence, are the *-problems.ts of this
 * folder.
 */

/** Status and title. */
const PROBLEMS = {
  invalid_multipart: [400, 'The multipart body cannot be read'],
  missing_image: [400, 'No image was sent'],
  unexpected_field: [400, 'The form has an unexpected field'],
  too_many_files: [400, 'More than one file was sent'],
  conflicting_credentials: [400, 'Two different API keys were sent'],
  invalid_request: [400, 'The request cannot be understood'],
  missing_api_key: [401, 'An API key is required'],
  invalid_api_key: [401, 'The API key is not valid'],
  trial_expired: [401, 'The trial has expired'],
  trial_used_up: [403, 'The trial is used up'],
  account_suspended: [403, 'The account is suspended'],
  signup_closed: [403, 'Sign-up is not open'],
  cross_site: [403, 'The request comes from another site'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'The request took too long to arrive'],
  account_exists: [409, 'The account already exists'],
  too_many_keys: [409, 'The account has too many keys'],
  image_too_large: [413, 'The image file is too large'],
  unsupported_media_type: [415, 'The image format is not accepted'],
  undecodable_image: [422, 'The image cannot be decoded'],
  too_many_pixels: [422, 'The image has too many pixels'],
  needs_too_much_memory: [422, 'The image needs too much memory'],
  budget_unreachable: [422, 'The image does not fit into max_bytes'],
  cannot_convert: [422, 'The format cannot hold the image'],
  cannot_compare: [422, 'The images cannot be compared'],
  headers_too_large: [431, 'The request headers are too large'],
  rate_limited: [429, 'Too many requests'],
  internal_error: [500, 'Internal error'],
  overloaded: [503, 'The service is busy'],
  deadline_exceeded: [503, 'The image took too long'],
  draining: [503, 'This instance is stopping'],
  dependency_unavailable: [503, 'Part of the service is not working'],
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** Those of the HTTP API: only the command line and the library compare. */
export const HTTP_CODES = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
  (code) => code !== 'cannot_compare',
);

/** Returns the title of a code, for people. */
export function findTitle(code: ProblemCode): string {
  return PROBLEMS[code][1];
}

/** Numbers and words of one occurrence, for programs. */
export interface ProblemFacts {
  /** Replaces the title of the code if that does not fit. */
  readonly title?: string | undefined;
  /** The limit that was exceeded. */
  readonly limit?: number | undefined;
  /** The value that exceeded it. */
  readonly actual?: number | undefined;
  /** Why an image is refused: a word of RefusalReason. */
  readonly reason?: string;
  /** Seconds to wait before a retry; also sent as Retry-After. */
  readonly retryAfter?: number;
  /** With status 405: the methods that are allowed. */
  readonly allow?: readonly string[];
}

/**
 * An error of the contract. Anything that handles a request may throw one, and ProblemFilter sends it. Other
 * errors come from the framework, or are bugs and become `internal_error`.
 */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    /** One sentence: what is wrong, and what the client can do. */
    readonly detail: string,
    readonly facts: ProblemFacts = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.name = new.target.name;
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }

  get title(): string {
    return this.facts.title ?? findTitle(this.code);
  }

  /** Returns the body of the response, as `application/problem+json`. */
  toBody(requestId: string): Record<string, unknown> {
    const { reason, limit, actual, retryAfter } = this.facts;
    const known = { reason, limit, actual, retry_after: retryAfter };
    return {
      type: `urn:problem:image-compression:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      instance: `urn:request:${requestId}`,
      code: this.code,
      request_id: requestId,
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    };
  }
}

/** Returns a function that makes a problem, whose sentence is always the same. */
export const fixedProblem =
  (...given: ConstructorParameters<typeof Problem>) =>
  () =>
    new Problem(...given);

/** Returns the message of anything thrown, which may be no Error. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
