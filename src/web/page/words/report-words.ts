import type { Dimensions, Report } from '../api/result';
import { savingPercent } from './format';

export function savingWords(report: Report): string {
  if (report.skipReason !== undefined) return 'unchanged';
  if (report.bytesSaved === 0) return 'nothing saved';
  return `${savingPercent(report.originalSize, report.bytesSaved)} % saved`;
}

export function dimensionsWords({ originalDimensions: before, dimensions: after }: Report): string {
  const text = ({ width, height }: Dimensions) => `${width} × ${height} px`;
  return before.width === after.width && before.height === after.height
    ? text(after)
    : `${text(after)}, scaled down from ${text(before)}`;
}
