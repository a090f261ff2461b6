/**
 * Every error that a caller can get, in one table (RFC 9457, application/problem+json). The codes are stable;
 * the title belongs to the code, the detail to the occurrence.
 */
const PROBLEMS = {
  invalid_multipart: { status: 400, title: 'The multipart body cannot be read' },
  missing_image: { status: 400, title: 'No image was sent' },
  unexpected_field: { status: 400, title: 'The form has a field that is not expected' },
  too_many_files: { status: 400, title: 'More than one file was sent' },
  conflicting_credentials: { status: 400, title: 'Two different API keys were sent' },
  invalid_request: { status: 400, title: 'The request cannot be understood' },
  missing_api_key: { status: 401, title: 'An API key is needed' },
  invalid_api_key: { status: 401, title: 'The API key is not valid' },
  account_suspended: { status: 403, title: 'The account is suspended' },
  signup_closed: { status: 403, title: 'Sign-up is not open' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  account_exists: { status: 409, title: 'The account exists already' },
  image_too_large: { status: 413, title: 'The image file is too large' },
  unsupported_media_type: { status: 415, title: 'Neither a JPG nor a PNG' },
  undecodable_image: { status: 422, title: 'The image cannot be decoded' },
  too_many_pixels: { status: 422, title: 'The image has too many pixels' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  overloaded: { status: 503, title: 'The service is busy' },
  deadline_exceeded: { status: 503, title: 'The image took too long' },
  draining: { status: 503, title: 'This instance is stopping' },
  dependency_unavailable: { status: 503, title: 'Something that the service needs is out of reach' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemFacts {
  /** What was allowed, and what was found. */
  readonly limit?: number;
  readonly actual?: number;
  /** Seconds until trying again makes sense; sent as Retry-After too. */
  readonly retryAfter?: number;
  /** For 405: the methods that are allowed. */
  readonly allow?: readonly string[];
}

/** Thrown anywhere on the way of a request to answer it with an error of the contract. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    /** One sentence for the caller that says what to do next. */
    readonly detail: string,
    readonly facts: ProblemFacts = {},
  ) {
    super(`${code}: ${detail}`);
    this.name = 'Problem';
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  get title(): string {
    return PROBLEMS[this.code].title;
  }

  toBody(requestId: string): Record<string, unknown> {
    const { limit, actual, retryAfter } = this.facts;
    return {
      type: `urn:problem:image-compression:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      instance: `urn:request:${requestId}`,
      code: this.code,
      request_id: requestId,
      ...(limit !== undefined ? { limit } : {}),
      ...(actual !== undefined ? { actual } : {}),
      ...(retryAfter !== undefined ? { retry_after: retryAfter } : {}),
    };
  }
}
