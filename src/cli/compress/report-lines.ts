/** What is said about images: a line for each, as words or as JSON, and a table at the end. */
import type { CompressionReport } from '../../compression/domain/compression-report';
import type { Job } from './plan';

/** The published form; members that do not apply are absent. */
export function asJson({ source, output }: Job, report: CompressionReport, ms: number): string {
  const { originalSize, compressedSize, bytesSaved, skipReason, quality, score, dimensions } = report;
  return JSON.stringify({
    input: source.shown,
    ...(output ? { output: output.shown } : {}),
    originalSize,
    compressedSize,
    bytesSaved,
    skipped: skipReason !== undefined,
    ...(skipReason ? { skipReason } : {}),
    ...(quality !== undefined ? { quality } : {}),
    ssim: Number(score.toFixed(4)),
    width: dimensions.width,
    height: dimensions.height,
    ms,
  });
}

export function asWords({ source }: Job, report: CompressionReport, ms: number): string {
  const { originalSize, compressedSize, skipReason, quality, score, dimensions } = report;
  if (skipReason) return `${source.shown}: kept as it is (${skipReason}), ${originalSize} bytes, ${ms} ms`;
  return [
    // An image that had to be scaled down may have gained bytes.
    `${source.shown}: ${originalSize} -> ${compressedSize} bytes (${percent(originalSize, compressedSize)})`,
    ...(quality !== undefined ? [`quality ${quality}`] : []),
    `score ${score.toFixed(4)}`,
    `${dimensions.width}x${dimensions.height}`,
    `${ms} ms`,
  ].join(', ');
}

interface Sum {
  files: number;
  before: number;
  after: number;
}

/** Adds up reports for the table at the end. */
export class Totals {
  private readonly rows = new Map<string, Sum>();
  readonly all: Sum = { files: 0, before: 0, after: 0 };

  add({ format, skipReason, originalSize, compressedSize }: CompressionReport): void {
    const kind = skipReason ? 'kept as it is' : format === 'jpeg' ? 'JPG' : 'PNG';
    const row = this.rows.get(kind) ?? { files: 0, before: 0, after: 0 };
    this.rows.set(kind, row);
    for (const sum of [row, this.all]) {
      sum.files++;
      sum.before += originalSize;
      sum.after += compressedSize;
    }
  }

  table(): string {
    const kinds = ['JPG', 'PNG', 'kept as it is'].flatMap((kind) => {
      const sum = this.rows.get(kind);
      return sum ? [cells(kind, sum)] : [];
    });
    const lines = [['', 'files', 'before', 'after', 'change'], ...kinds, cells('together', this.all)];
    const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
    return lines
      .map((line) =>
        line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
      )
      .join('\n');
  }
}

/** Decimal units, as file managers show them. */
export function asSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

function cells(kind: string, { files, before, after }: Sum): string[] {
  return [kind, String(files), asSize(before), asSize(after), percent(before, after)];
}

function percent(before: number, after: number): string {
  return `${((before > 0 ? after / before - 1 : 0) * 100).toFixed(1)} %`;
}
