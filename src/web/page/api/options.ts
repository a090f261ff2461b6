/** The options of a request that the page offers. */
import type { FormatChoice, PageFacts } from '../../page-facts';

/** Absent options have the service's defaults. */
export interface Options {
  /** Byte limit of the result. */
  readonly maxBytes?: number | undefined;
  readonly quality?: keyof PageFacts['qualities'] | undefined;
  /** Largest longer side of the result, in pixels. */
  readonly maxDimension?: number | undefined;
  readonly metadata?: PageFacts['keptMetadata'] | undefined;
  readonly format?: FormatChoice | undefined;
  readonly pngMode?: PageFacts['pngMode'] | undefined;
  /** Pixels per CSS pixel of the displays that will show the result. */
  readonly density?: 1 | 2 | undefined;
}

/**
 * Returns the query of a request: "?max_bytes=200000&quality=low"; empty without options. Equal options give equal queries.
 * A parameter has the name of its option in snake case.
 */
export function queryOf(options: Options): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined)
      query.set(
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        `${value}`,
      );
  }
  query.sort();
  const text = query.toString();
  return text && `?${text}`;
}
