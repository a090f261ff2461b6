/** An operation as code samples show it. */

/** Stands for the host of the service; the page at /docs puts its own in its place. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

/** Stands for the API key; the page at /docs puts the reader's in its place. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

export interface SampledOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the operation takes an API key, shown as EXAMPLE_KEY. */
  readonly needsKey: boolean;
  /** A JSON body. */
  readonly json?: Readonly<Record<string, string>>;
  /**
   * Sends files in form fields: the name of each by its field. Such a sample tries up to TRIES times: it waits as long as
   * `Retry-After` says while the service is busy or the account is over its limit.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Saves the response in a file of this name; without it, the sample shows the response. */
  readonly savedAs?: string;
  /** A number in a header of the response that the sample shows: its name, and what it counts. */
  readonly shown?: readonly [header: string, unit: string];
}

/** How often a sample sends its files. */
export const TRIES = 5;

/** Seconds before another try where the response does not say. */
export const WAIT_S = 5;

type Part = string | readonly Part[] | false | undefined;

/** The lines of a program. Those of an inner list are indented. */
export function program(parts: readonly Part[], indent: string, depth = 0): string {
  return parts
    .filter((part) => part !== false && part !== undefined)
    .map((part) => {
      if (typeof part !== 'string') return program(part, indent, depth + 1);
      return part === '' ? '' : indent.repeat(depth) + part;
    })
    .join('\n');
}
