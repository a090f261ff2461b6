/** The service's report about a compressed image, read from the response headers. */
import { factsOfMediaType, type FormatFacts } from '../../../contract/formats';
import type { BudgetOutcome } from '../../../contract/report-words';

export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

interface Timing {
  readonly stage: string;
  readonly ms: number;
}

export interface Report {
  /** Undefined for a type unknown to this page. */
  readonly format: FormatFacts | undefined;
  readonly originalSize: number;
  readonly compressedSize: number;
  readonly bytesSaved: number;
  readonly skipReason: string | undefined;
  /** Data that the new file lacks, besides metadata. */
  readonly removed: readonly string[];
  readonly quality: number | undefined;
  /** 0..1, four decimals. */
  readonly score: string;
  /** For a PNG without a palette: the largest difference of any channel of any pixel. */
  readonly maxError: number | undefined;
  /** Whether it fits into the byte limit; absent without one. */
  readonly budget: BudgetOutcome | undefined;
  /** The display density that it was judged at; absent for 1. */
  readonly density: number | undefined;
  /** For a photo in a PNG: estimated bytes as a JPG. */
  readonly jpegEstimate: number | undefined;
  readonly originalDimensions: Dimensions;
  readonly dimensions: Dimensions;
  readonly timings: readonly Timing[];
}

export function readReport(header: (name: string) => string | null): Report {
  const size = (name: string) => Number(header(name) ?? 0);
  /** Undefined without the header. */
  const number = (name: string) => (header(name) ? size(name) : undefined);
  return {
    format: factsOfMediaType(header('Content-Type') ?? ''),
    originalSize: size('X-Original-Size'),
    compressedSize: size('X-Compressed-Size'),
    bytesSaved: size('X-Bytes-Saved'),
    skipReason: header('X-Skipped') ? (header('X-Skip-Reason') ?? '') : undefined,
    removed: (header('X-Removed') ?? '').split(', ').filter(Boolean),
    quality: number('X-Quality'),
    score: header('X-SSIM') ?? '',
    maxError: number('X-Max-Error'),
    budget: (header('X-Budget') ?? undefined) as BudgetOutcome | undefined,
    density: number('X-Density'),
    jpegEstimate: number('X-JPEG-Estimate'),
    originalDimensions: readDimensions(header('X-Original-Dimensions')),
    dimensions: readDimensions(header('X-Dimensions')),
    timings: readTimings(header('Server-Timing') ?? ''),
  };
}

function readDimensions(text: string | null): Dimensions {
  const [width = 0, height = 0] = (text ?? '').split('x').map(Number);
  return { width, height };
}

/** Server-Timing: "queue;dur=0.1, decode;dur=12.0". */
function readTimings(text: string): Timing[] {
  return [...text.matchAll(/([\w-]{1,32});dur=([\d.]{1,16})/g)].map(([, stage = '', ms]) => ({
    stage,
    ms: Number(ms),
  }));
}
