import type { FormatChoice, PageFacts } from '../../page-facts';

/** Absent options have the service's defaults. */
export interface Options {
  readonly format?: FormatChoice | undefined;
  readonly density?: 1 | 2 | 3 | undefined;
  readonly quality?: keyof PageFacts['qualities'] | undefined;
  readonly maxBytes?: number | undefined;
  readonly maxDimension?: number | undefined;
  readonly metadata?: PageFacts['keptMetadata'] | undefined;
}

/** "?max_bytes=200000&quality=low"; equal options give equal queries. */
export function toQuery(options: Options): string {
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

/** The service refuses the quality `lossless` with a smaller shown size or a byte limit. */
export function withoutConflicts(options: Options, defaultQuality: Options['quality']): Options {
  const isLossless = (options.quality ?? defaultQuality) === 'lossless';
  return isLossless ? { ...options, density: undefined, maxBytes: undefined } : options;
}
