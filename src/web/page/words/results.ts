/** What became of an image, in words for people who do not work with image formats. */
import type { RemovedCompanion, SkipReason } from '../../../contract/report-words';
import { bytesText } from '../../../contract/units';
import type { FormatFacts } from '../../../contract/formats';
import type { MetadataKind } from '../api/metadata';
import type { Options } from '../api/options';
import type { Dimensions, Report } from '../api/result';
import type { WorstSpot } from '../difference/difference-map';
import { savingPercent } from './numbers';

/** The saving as the row shows it: a number, and what it counts. */
export function savingParts(report: Report): { readonly number?: string; readonly text: string } {
  if (report.skipReason !== undefined) return { text: 'Unchanged' };
  if (report.bytesSaved === 0) return { text: 'Nothing saved' };
  return { number: `${savingPercent(report.originalSize, report.bytesSaved)}%`, text: 'smaller' };
}

export function savingWords(report: Report): string {
  const { number, text } = savingParts(report);
  return number ? `${number} ${text}` : text;
}

/**
 * How the result compares. That of a scaled image was compared with the scaled original.
 * @param scores from which on no difference is seen (`high`), and from which on hardly one (`low`).
 */
export function looksWords(report: Report, scores: { readonly high: number; readonly low: number }): string {
  return scalingWords(report) ? `${verdict(report, scores)} at that size` : verdict(report, scores);
}

function verdict(
  { maxError, score }: Report,
  scores: { readonly high: number; readonly low: number },
): string {
  if (score === '1.0000' || maxError === 0) return 'No pixel changed';
  if (Number(score) >= scores.high) return 'Looks identical';
  return Number(score) >= scores.low ? 'Looks nearly identical' : 'Differences can be seen';
}

/** How far any pixel of a PNG is from the original; undefined where that is not known, or nothing changed. */
export function largestChangeWords({ maxError }: Report): string | undefined {
  return maxError ? `No channel of any pixel changed by more than ${maxError} of 255.` : undefined;
}

/** "Now a WebP", where the result has another format than the file; undefined where it has the same. */
export function newFormatWords(original: FormatFacts | undefined, { format }: Report): string | undefined {
  if (!format || !original || format === original) return undefined;
  return `Now ${format.label.startsWith('A') ? 'an' : 'a'} ${format.label}`;
}

/** Why a result has another format than the file. */
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

/** Why the dimensions are smaller: `maxDimensionPx` where that was asked for, else the service's, or the bytes. */
export function scalingReason(report: Report, options: Options, mostPx: number): string {
  if (isScaledToFit(report, options, mostPx))
    return `Scaled down to fit ${bytesText(options.maxBytes ?? 0)}.`;
  return options.maxDimensionPx === undefined
    ? `Scaled down: this service returns at most ${mostPx} px.`
    : `Scaled down to the ${options.maxDimensionPx} px that you chose.`;
}

/** Whether the bytes that were asked for cost dimensions. */
function isScaledToFit(
  { dimensions }: Report,
  { maxBytes, maxDimensionPx }: Options,
  mostPx: number,
): boolean {
  return maxBytes !== undefined && Math.max(dimensions.width, dimensions.height) < (maxDimensionPx ?? mostPx);
}

/** What the row says of the size in pixels; undefined for an image that was not scaled. */
export function scalingLine(report: Report, options: Options, mostPx: number): string | undefined {
  const words = scalingWords(report);
  if (words === undefined) return undefined;
  if (!isScaledToFit(report, options, mostPx)) return `Scaled down: ${words}`;
  const percent = Math.max(1, Math.round((report.dimensions.width / report.originalDimensions.width) * 100));
  return `Scaled to ${percent}% of its width to fit: ${words}`;
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
  'motion-photo': 'A motion photo: this service keeps its video.',
  'multi-picture': 'A photo with further images in it: this service keeps them.',
  animated: 'An animation that cannot be made smaller without loss.',
};

/** Why the file came back unchanged. */
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
  'editor-layers': 'the layers of its editor',
};

/** Names what a rewrite removed beyond metadata. */
export function companionWords(name: string): string {
  return Object.hasOwn(COMPANIONS, name) ? COMPANIONS[name as RemovedCompanion] : name;
}

/** What the new file no longer has: "location, camera data and its video"; undefined when it has everything. */
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

/** Says how much the place that changed most has changed. */
export function worstWords(worst: WorstSpot | undefined): string {
  if (!worst) return 'No pixel changed.';
  const mean = worst.mean < 1 ? 'less than 1' : String(Math.round(worst.mean));
  return `Largest change: ${mean} of 255 on average, ${worst.most} at most.`;
}
