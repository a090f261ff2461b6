/** The documented JSON: one object per line; members that do not apply are absent. */
import type { Dimensions } from '../../compression/domain/dimensions';
import { scoreText } from '../../contract/report-words';
import type { RememberedReport } from '../images/earlier-results';
import type { Fault } from '../images/file-faults';
import type { Job, KnownImage, LeftAlone } from '../images/run-jobs';
import { printableJson } from '../terminal/printable';

/** @param more further members */
export function resultJson({ input, output }: Job, report: RememberedReport, ms: number, more = {}): string {
  const { originalSize, compressedSize, bytesSaved, skipReason, removed } = report;
  const { quality, score, density, maxError, budget, jpegEstimate, originalDimensions, dimensions } = report;
  return printableJson({
    input: input.shown,
    ...(output ? { output: output.shown } : {}),
    originalSize,
    compressedSize,
    bytesSaved,
    skipped: skipReason !== undefined,
    ...(skipReason ? { skipReason } : {}),
    ...(removed?.length ? { removed } : {}),
    ...(quality !== undefined ? { quality } : {}),
    ssim: Number(scoreText(score)),
    ...(maxError !== undefined ? { maxError } : {}),
    ...(budget ? { budget } : {}),
    ...(density ? { density } : {}),
    ...(jpegEstimate !== undefined ? { jpegEstimate } : {}),
    ...originalSides(originalDimensions),
    width: dimensions.width,
    height: dimensions.height,
    ...more,
    ms,
  });
}

/** For a file that --in-place leaves alone. */
export function leftAloneJson({ input }: Job, { bytes, dimensions, reason }: LeftAlone): string {
  return printableJson({
    input: input.shown,
    originalSize: bytes,
    compressedSize: bytes,
    bytesSaved: 0,
    skipped: true,
    skipReason: reason,
    ...originalSides(dimensions),
    ...dimensions,
  });
}

/** For a file in a folder that is named like an image but is not one. */
export function misnamedJson(input: string, sentence: string): string {
  return printableJson({ input, skipped: true, skipReason: 'not-an-image', message: sentence });
}

/** `error` distinguishes a failure from a result; size and dimensions are there if they could be read. */
export function failureJson(input: string, { code, sentence, output, bytes, dimensions }: Failure): string {
  return printableJson({
    input,
    ...(output !== undefined ? { output } : {}),
    error: code,
    message: sentence,
    ...(bytes !== undefined ? { originalSize: bytes } : {}),
    ...(dimensions ? originalSides(dimensions) : {}),
  });
}

export type Failure = Fault & Partial<KnownImage>;

function originalSides({ width, height }: Dimensions): object {
  return { originalWidth: width, originalHeight: height };
}
