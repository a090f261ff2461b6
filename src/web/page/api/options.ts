/** The options of a request, as the page offers them. */
import type { FormatChoice, PageFacts } from '../../page-facts';

type QualityName = keyof PageFacts['qualities'];
type KeptMetadata = PageFacts['keptMetadata'];
type PngMode = PageFacts['pngMode'];

/** What is absent is as the service is set up. */
export interface Options {
  /** Bytes that the result has to fit into. */
  readonly maxBytes?: number | undefined;
  readonly quality?: QualityName | undefined;
  /** Longer side of the result in pixels, at most. */
  readonly maxDimensionPx?: number | undefined;
  readonly metadata?: KeptMetadata | undefined;
  readonly format?: FormatChoice | undefined;
  readonly pngMode?: PngMode | undefined;
}

/** The query of the request: "?max_bytes=200000&quality=low"; empty without options. */
export function queryOf({ maxBytes, quality, maxDimensionPx, metadata, format, pngMode }: Options): string {
  const named = {
    max_bytes: maxBytes,
    quality,
    max_dimension: maxDimensionPx,
    metadata,
    format,
    png_mode: pngMode,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}
