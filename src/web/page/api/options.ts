/** The options of a request that the page offers. */
import type { FormatChoice, PageFacts } from '../../page-facts';

type QualityName = keyof PageFacts['qualities'];
type KeptMetadata = PageFacts['keptMetadata'];
type PngMode = PageFacts['pngMode'];

/** Absent options have the service's defaults. */
export interface Options {
  /** Byte limit of the result. */
  readonly maxBytes?: number | undefined;
  readonly quality?: QualityName | undefined;
  /** Largest longer side of the result, in pixels. */
  readonly maxDimensionPx?: number | undefined;
  readonly metadata?: KeptMetadata | undefined;
  readonly format?: FormatChoice | undefined;
  readonly pngMode?: PngMode | undefined;
}

/** Returns the query of a request: "?max_bytes=200000&quality=low"; empty without options. */
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
