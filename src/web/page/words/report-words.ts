/** What became of an image, in words for people who do not work with image formats. */
import type { MetadataKind } from '../api/metadata';
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

/** @param identicalScore from which score on no difference is seen. */
export function looksWords(report: Report, identicalScore: number): string {
  if (report.format === 'png' && report.maxError === 0) return 'No pixel changed';
  if (report.maxError !== undefined) {
    return `No channel changed by more than ${report.maxError} of 255`;
  }
  if (report.score === '1.0000') return 'No pixel changed';
  return Number(report.score) >= identicalScore ? 'Looks identical' : 'Looks nearly identical';
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
