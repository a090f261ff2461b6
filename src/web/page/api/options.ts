/** The options of a request that the page offers. */
import type { FormatChoice, PageFacts } from '../../page-facts';

/** Absent options have the service's defaults. */
export interface Options {
  readonly format?: FormatChoice | undefined;
  /** By how much smaller the result will be shown. */
  readonly density?: 1 | 2 | 3 | undefined;
  readonly quality?: keyof PageFacts['qualities'] | undefined;
  /** Byte limit of the result. */
  readonly maxBytes?: number | undefined;
  /** Largest longer side of the result, in pixels. */
  readonly maxDimension?: number | undefined;
  readonly metadata?: PageFacts['keptMetadata'] | undefined;
}

/**
 * Returns the query of a request: "?max_bytes=200000&quality=low"; empty without options. Equal options give equal queries.
 * A parameter has the name of its option in snake case.
 */
export function queryOf(options: Options): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const parameter = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    query.set(parameter, String(value));
  }
  query.sort();
  const text = query.toString();
  return text && `?${text}`;
}

/** The service refuses the quality `lossless` with a smaller shown size or a byte limit: the later choice replaces the others. */
export function replacedBy(name: keyof Options, { quality }: Options): Options {
  if (quality !== 'lossless') return {};
  if (name === 'quality') return { density: undefined, maxBytes: undefined };
  return name === 'density' || name === 'maxBytes' ? { quality: undefined } : {};
}
