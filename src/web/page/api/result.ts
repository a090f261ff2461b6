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
  readonly skipReason?: string;
  /** Data that the new file lacks, besides metadata. */
  readonly removed: readonly string[];
  readonly quality?: number;
  /** 0..1, four decimals. */
  readonly score: string;
  /** For a PNG without a palette: the largest difference of any channel of any pixel. */
  readonly maxError?: number;
  /** Whether it fits into the requested bytes; absent if none were requested. */
  readonly budget?: BudgetOutcome;
  /** The display density that it was judged at; absent for 1. */
  readonly density?: number;
  /** For a photo in a PNG: estimated bytes as a JPG. */
  readonly jpegEstimate?: number;
  readonly originalDimensions: Dimensions;
  readonly dimensions: Dimensions;
  readonly timings: readonly Timing[];
}

export function readReport(header: (name: string) => string | null): Report {
  const size = (name: string) => Number(header(name) ?? 0);
  const quality = header('X-Quality');
  const maxError = header('X-Max-Error');
  const budget = header('X-Budget');
  const density = header('X-Density');
  const jpegEstimate = header('X-JPEG-Estimate');
  return {
    format: factsOfMediaType(header('Content-Type') ?? ''),
    originalSize: size('X-Original-Size'),
    compressedSize: size('X-Compressed-Size'),
    bytesSaved: size('X-Bytes-Saved'),
    ...(header('X-Skipped') ? { skipReason: header('X-Skip-Reason') ?? '' } : {}),
    removed: (header('X-Removed') ?? '').split(', ').filter(Boolean),
    ...(quality ? { quality: Number(quality) } : {}),
    score: header('X-SSIM') ?? '',
    ...(maxError === null ? {} : { maxError: Number(maxError) }),
    ...(budget ? { budget: budget as BudgetOutcome } : {}),
    ...(density ? { density: Number(density) } : {}),
    ...(jpegEstimate ? { jpegEstimate: Number(jpegEstimate) } : {}),
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
