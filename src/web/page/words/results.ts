/** Results, in words for people who do not work with image formats. */
import type { RemovedCompanion, SkipReason } from '../../../contract/report-words';
import { bytesText } from '../../../contract/units';
import { RESULT_FORMATS, type FormatFacts } from '../../../contract/formats';
import type { MetadataKind } from '../api/metadata';
import type { Options } from '../api/options';
import type { Dimensions, Report } from '../api/result';
import type { WorstSpot } from '../../../compression/domain/score/difference-map';
import { savingPercent } from './numbers';

/** Describes the work on an image: the service tries several encodings and compares each with the file. */
export function searchWords({ maxBytes, format }: Options, original: FormatFacts | undefined): string {
  if (maxBytes !== undefined) return `Fitting it into ${bytesText(maxBytes)} …`;
  const named =
    format === undefined || format === 'same'
      ? original
      : format === 'auto'
        ? undefined
        : RESULT_FORMATS[format];
  return `Finding the smallest ${named?.label ?? 'format'} that looks the same …`;
}

/** The most important number of a result, and what it counts. */
interface Saving {
  readonly number?: string;
  readonly text: string;
  /** Whether the byte limit cost pixels, so that the number counts those that are left. */
  readonly isCostly?: boolean;
}

/** @param mostPx the longer side that the service returns at most */
export function savingParts(report: Report, options: Options, mostPx: number): Saving {
  if (report.skipReason !== undefined) return { text: 'Unchanged' };
  if (isScaledToFit(report, options, mostPx)) {
    const percent = Math.max(1, Math.round(widthShare(report) * 100));
    return { number: `${percent}%`, text: 'of its width', isCostly: true };
  }
  if (report.bytesSaved === 0) return { text: 'Nothing saved' };
  return { number: `${savingPercent(report.originalSize, report.bytesSaved)}%`, text: 'smaller' };
}

/**
 * Says how similar the result is. The result of a scaled image is compared with the scaled original; one that will be shown smaller
 * than it is, at that size.
 * @param scores from which no difference is visible (`high`), or hardly any (`low`)
 */
export function looksWords(report: Report, scores: { readonly high: number; readonly low: number }): string {
  const { density, maxError, score } = report;
  if (score === '1.0000' || maxError === 0) return 'No pixel changed';
  const value = Number(score);
  const verdict =
    value >= scores.high
      ? 'Looks the same'
      : value >= scores.low
        ? 'Looks nearly the same'
        : 'Differences can be seen';
  if (density !== undefined) return `${verdict} at ${shownSizeWords(report)}`;
  return scalingWords(report) && !isHardlyScaled(report) ? `${verdict} at that size` : verdict;
}

/** The size that a result was made for: "half size, 864 px wide"; for a result without density, "full size". */
export function shownSizeWords({ density = 1, dimensions: { width } }: Report): string {
  if (density === 1) return 'full size';
  const name =
    density === 2
      ? 'half size'
      : density === 3
        ? 'a third of its size'
        : `${Math.round(100 / density)}% of its size`;
  return `${name}, ${Math.round(width / density)} px wide`;
}

/** Says how much any pixel of a PNG differs from the original at most; undefined if that is unknown or nothing changed. */
export function largestChangeWords({ maxError }: Report): string | undefined {
  return maxError ? `No channel of any pixel changed by more than ${maxError} of 255.` : undefined;
}

/** "Now a WebP" if the result has another format than the file; undefined if it has the same. */
export function newFormatWords(original: FormatFacts | undefined, { format }: Report): string | undefined {
  if (!format || !original || format === original) return undefined;
  return `Now ${format.label.startsWith('A') ? 'an' : 'a'} ${format.label}`;
}

/** Says why a result has another format than the file. */
export function formatReason({ format }: Options): string {
  return format === undefined || format === 'auto'
    ? 'The smallest of the formats that this service may return, at the same quality.'
    : 'The format that you chose.';
}

/** Whether it fits into the bytes that were asked for; undefined when none were. */
export function budgetWords({ budget }: Report, maxBytes = 0): string | undefined {
  if (budget === undefined) return undefined;
  return budget === 'met'
    ? `Fits ${bytesText(maxBytes)}`
    : `Larger than ${bytesText(maxBytes)}: nothing smaller is possible`;
}

/** Says why the dimensions are smaller: the requested or the service's longest side, or the byte limit. */
export function scalingReason(report: Report, options: Options, mostPx: number): string {
  if (isScaledToFit(report, options, mostPx))
    return `Scaled down to fit ${bytesText(options.maxBytes ?? 0)}.`;
  return options.maxDimension === undefined
    ? `Scaled down: this service returns at most ${mostPx} px.`
    : `Scaled down to the ${options.maxDimension} px that you chose.`;
}

/** Whether the bytes that were asked for cost dimensions. */
export function isScaledToFit(
  report: Report,
  { maxBytes, maxDimension = Infinity }: Options,
  mostPx: number,
): boolean {
  const { width, height } = report.dimensions;
  const isSmaller = Math.max(width, height) < Math.min(maxDimension, mostPx);
  return maxBytes !== undefined && isSmaller && scalingWords(report) !== undefined;
}

/** The row's words about the size in pixels; undefined for an image that was not scaled. */
export function scalingLine(report: Report, options: Options, mostPx: number): string | undefined {
  const words = scalingWords(report);
  if (words === undefined) return undefined;
  if (isScaledToFit(report, options, mostPx)) {
    return report.budget === 'met' ? `${words} to fit ${bytesText(options.maxBytes ?? 0)}` : words;
  }
  return isHardlyScaled(report) ? 'Scaled' : `Scaled down: ${words}`;
}

/** Whether an image lost so few pixels that one word says enough: at most 2% of its width. */
function isHardlyScaled(report: Report): boolean {
  return widthShare(report) >= 0.98;
}

function widthShare({ originalDimensions, dimensions }: Report): number {
  return dimensions.width / originalDimensions.width;
}

/** "5200 × 3467 → 3840 × 2560"; undefined for an image that was not scaled. */
export function scalingWords({ originalDimensions: before, dimensions: after }: Report): string | undefined {
  const isScaled = before.width !== after.width || before.height !== after.height;
  return isScaled ? `${sizeText(before)} → ${sizeText(after)}` : undefined;
}

export function sizeText({ width, height }: Dimensions): string {
  return `${width} × ${height}`;
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  'already-optimised': 'Already as small as it gets at this quality.',
  animated: 'An animation that cannot be made smaller without loss.',
};

/** Says why the file came back unchanged. */
export function skipWords(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as SkipReason] : 'This file is returned unchanged.';
}

const COMPANIONS: Readonly<Record<RemovedCompanion, string>> = {
  'motion-video': 'its video',
  'other-pictures': 'the further images in it',
  'gain-map': 'its HDR gain map',
  'bit-depth': 'half of its 16 bits',
  'colour-profile': 'its colour profile',
  'kept-metadata': 'metadata that the format cannot hold',
  'xmp-positions': 'XMP about positions or sizes that changed',
  'editor-layers': 'the layers of its editor',
};

/** Names what a rewrite removed beyond metadata. */
export function companionWords(name: string): string {
  return Object.hasOwn(COMPANIONS, name) ? COMPANIONS[name as RemovedCompanion] : name;
}

/** Names the data that the new file lacks: "Location, camera data and its video"; undefined if it lacks none. */
export function removedWords(
  removed: readonly string[],
  metadata: readonly MetadataKind[],
): string | undefined {
  const names = [...metadata, ...removed.map(companionWords)];
  const last = names.pop();
  if (last === undefined) return undefined;
  const list = names.length > 0 ? `${names.join(', ')} and ${last}` : last;
  return list.charAt(0).toUpperCase() + list.slice(1);
}

/** Says how much the most changed place differs. */
export function worstWords(worst: WorstSpot | undefined): string {
  if (!worst) return 'No pixel changed.';
  const mean = worst.mean < 1 ? 'less than 1' : String(Math.round(worst.mean));
  return `Largest change: ${mean} of 255 on average, ${worst.most} at most.`;
}
