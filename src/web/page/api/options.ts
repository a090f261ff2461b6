/** The options of a request, as the page offers them. */
import type { PageFacts } from '../../page-facts';

type QualityName = keyof PageFacts['qualities'];
type KeptMetadata = PageFacts['keptMetadata'];

/** What is absent is as the service is set up. */
export interface Options {
  /** Bytes that the result has to fit into. */
  readonly maxBytes?: number | undefined;
  readonly quality?: QualityName | undefined;
  /** Longer side of the result in pixels, at most. */
  readonly maxDimensionPx?: number | undefined;
  readonly metadata?: KeptMetadata | undefined;
}

/** Options of one image. */
export interface JobOptions extends Options {
  /** Whether the bytes may cost any quality, and may be exceeded. */
  readonly allow?: 'any' | undefined;
}

/** The query of the request: "?max_bytes=200000&quality=low"; empty without options. */
export function queryOf({ maxBytes, quality, maxDimensionPx, metadata, allow }: JobOptions): string {
  const named = { max_bytes: maxBytes, quality, max_dimension: maxDimensionPx, metadata, allow };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}
