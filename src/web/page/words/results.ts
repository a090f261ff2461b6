import { shownSizeText, type RemovedData, type SkipReason } from '../../../contract/report-words';
import { bytesText } from '../../../contract/units';
import { withArticle, type FormatFacts, type FormatTable } from '../../../contract/formats';
import type { MetadataKind } from '../api/metadata';
import type { Options } from '../api/options';
import type { Dimensions, Report } from '../api/result';
import type { WorstSpot } from '../../../compression/domain/score/difference-map';
import { savingPercent } from './numbers';
import { findWords } from './trouble';

export function searchWords(
  { maxBytes, format }: Options,
  original: FormatFacts | undefined,
  formats: FormatTable,
): string {
  if (maxBytes !== undefined) return `Fitting it into ${bytesText(maxBytes)} …`;
  const named = format === undefined || format === 'same' ? original : formats[format];
  return `Finding the smallest ${named?.label ?? 'format'} that looks the same …`;
}

interface Saving {
  readonly number?: string;
  readonly text: string;
  /** The byte limit cost pixels, so the number counts those that are left. */
  readonly isCostly?: boolean;
}

export function savingParts(report: Report, options: Options, mostPx: number): Saving {
  if (report.skipReason !== undefined) return { text: 'Unchanged' };
  if (isScaledToFit(report, options, mostPx)) {
    const { originalDimensions, dimensions } = report;
    const percent = Math.max(1, Math.round((dimensions.width / originalDimensions.width) * 100));
    return { number: `${percent}%`, text: 'of its width', isCostly: true };
  }
  if (report.bytesSaved === 0) return { text: 'Nothing saved' };
  return { number: `${savingPercent(report.originalSize, report.bytesSaved)}%`, text: 'smaller' };
}

/** Scaled results are compared with the scaled original. From `high` on no difference is visible, from `low` hardly any. */
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
  if (density !== undefined) return `${verdict} at ${shownSizeText(density, report.dimensions.width)}`;
  return scalingWords(report) ? `${verdict} at that size` : verdict;
}

export function largestChangeWords({ maxError }: Report): string | undefined {
  return maxError ? `No channel of any pixel changed by more than ${maxError} of 255.` : undefined;
}

/** "Now a WebP" */
export function newFormatWords(original: FormatFacts | undefined, { format }: Report): string | undefined {
  if (!format || !original || format === original) return undefined;
  return `Now ${withArticle(format.label)}`;
}

export function formatReason({ format }: Options): string {
  return format === undefined || format === 'auto'
    ? 'The smallest of the formats that this service may return, at the same quality.'
    : 'The format that you chose.';
}

export function budgetWords({ budget }: Report, maxBytes = 0): string | undefined {
  if (budget === undefined) return undefined;
  return budget === 'met'
    ? `Fits ${bytesText(maxBytes)}`
    : `Larger than ${bytesText(maxBytes)}: nothing smaller is possible`;
}

export function scalingReason(report: Report, options: Options, mostPx: number): string {
  if (isScaledToFit(report, options, mostPx))
    return `Scaled down to fit ${bytesText(options.maxBytes ?? 0)}.`;
  return options.maxDimension === undefined
    ? `Scaled down: this service returns at most ${mostPx} px.`
    : `Scaled down to the ${options.maxDimension} px that you chose.`;
}

export function isScaledToFit(
  report: Report,
  { maxBytes, maxDimension = Infinity }: Options,
  mostPx: number,
): boolean {
  const { width, height } = report.dimensions;
  const isSmaller = Math.max(width, height) < Math.min(maxDimension, mostPx);
  return maxBytes !== undefined && isSmaller && scalingWords(report) !== undefined;
}

export function scalingLine(report: Report, options: Options, mostPx: number): string | undefined {
  const words = scalingWords(report);
  if (words === undefined) return undefined;
  if (isScaledToFit(report, options, mostPx)) {
    return report.budget === 'met' ? `${words} to fit ${bytesText(options.maxBytes ?? 0)}` : words;
  }
  return `Scaled down: ${words}`;
}

/** "5200 × 3467 → 3840 × 2560" */
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
  hdr: 'Its HDR colours would be lost.',
};

export function skipWords(reason: string): string {
  return findWords(REASONS, reason) ?? 'This file is returned unchanged.';
}

const TRAILING_DATA: Readonly<Record<RemovedData, string>> = {
  'motion-video': 'its video',
  'other-pictures': 'the further images in it',
  'gain-map': 'its HDR gain map',
  'bit-depth': 'half of its 16 bits',
  'colour-profile': 'its colour profile',
  'kept-metadata': 'metadata that the format cannot hold',
  'xmp-positions': 'XMP about positions or sizes that changed',
  'editor-layers': 'the layers of its editor',
  thermal: 'its temperatures',
  depth: 'its depth map',
  prompt: 'its prompt',
  panorama: 'the data of a panorama',
  'content-credentials': 'its content credentials',
  'other-data': 'other data in it',
};

export function trailingDataWords(name: string): string {
  return findWords(TRAILING_DATA, name) ?? name;
}

/** "Location, camera data and its video" */
export function removedWords(
  removed: readonly string[],
  metadata: readonly MetadataKind[],
): string | undefined {
  const names = [...metadata, ...removed.map(trailingDataWords)];
  const last = names.pop();
  if (last === undefined) return undefined;
  const list = names.length > 0 ? `${names.join(', ')} and ${last}` : last;
  return list.charAt(0).toUpperCase() + list.slice(1);
}

export function worstWords(worst: WorstSpot | undefined): string {
  if (!worst) return 'No pixel changed.';
  const mean = worst.mean < 1 ? 'less than 1' : String(Math.round(worst.mean));
  return `Largest change: ${mean} of 255 on average, ${worst.most} at most.`;
}
