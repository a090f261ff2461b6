/** What became of an image, in words for people who do not work with image formats. */
import { bytesText } from '../../../contract/units';
import type { MetadataKind } from '../api/metadata';
import type { Options } from '../api/options';
import type { Dimensions, Report } from '../api/result';
import { savingPercent } from './format';
import { companionWords } from './skip-words';

/** The saving as the row shows it: a number, and what it counts. */
export function savingParts(report: Report): { readonly number?: string; readonly text: string } {
  if (report.skipReason !== undefined) return { text: 'Unchanged' };
  if (report.bytesSaved === 0) return { text: 'Nothing saved' };
  return { number: `${savingPercent(report.originalSize, report.bytesSaved)} %`, text: 'smaller' };
}

export function savingWords(report: Report): string {
  const { number, text } = savingParts(report);
  return number ? `${number} ${text}` : text;
}

/** @param scores from which on no difference is seen (`high`), and from which on hardly one (`low`). */
export function looksWords(report: Report, scores: { readonly high: number; readonly low: number }): string {
  if (report.format === 'png' && report.maxError === 0) return 'No pixel changed';
  if (report.maxError !== undefined) {
    return `No channel changed by more than ${report.maxError} of 255`;
  }
  if (report.score === '1.0000') return 'No pixel changed';
  if (Number(report.score) >= scores.high) return 'Looks identical';
  return Number(report.score) >= scores.low ? 'Looks nearly identical' : 'Differences can be seen';
}

/** Whether it fits into the bytes that were asked for; undefined when none were. */
export function budgetWords({ budget }: Report, maxBytes = 0): string | undefined {
  if (budget === undefined) return undefined;
  return budget === 'met'
    ? `Fits ${bytesText(maxBytes)}`
    : `Larger than ${bytesText(maxBytes)}: nothing smaller is possible`;
}

/** Why the dimensions are smaller: `maxDimensionPx` where that was asked for, else the service's, or the bytes. */
export function scalingReason(
  { dimensions }: Report,
  { maxBytes, maxDimensionPx }: Options,
  mostPx: number,
): string {
  const limit = maxDimensionPx ?? mostPx;
  if (maxBytes !== undefined && Math.max(dimensions.width, dimensions.height) < limit) {
    return `Scaled down to fit ${bytesText(maxBytes)}.`;
  }
  return maxDimensionPx === undefined
    ? `Scaled down: this service returns at most ${mostPx} px.`
    : `Scaled down to the ${maxDimensionPx} px that you chose.`;
}

/** "5200 × 3467 → 3840 × 2560"; undefined for an image that was not scaled. */
export function scalingWords({ originalDimensions: before, dimensions: after }: Report): string | undefined {
  const isScaled = before.width !== after.width || before.height !== after.height;
  return isScaled ? `${sizeText(before)} → ${sizeText(after)}` : undefined;
}

export function sizeText({ width, height }: Dimensions): string {
  return `${width} × ${height}`;
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
