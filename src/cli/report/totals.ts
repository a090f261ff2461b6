/** The table at the end of a run, by format of the results, and how sizes and changes are written. */
import type { Formats } from '../../contract/formats';
import { bytesText, changeText } from '../../contract/units';
import type { RememberedReport } from '../images/earlier-results';

interface Sum {
  files: number;
  before: number;
  after: number;
}

/** The last of the rows. */
const UNCHANGED = 'unchanged';

export class Totals {
  private readonly rows = new Map<string, Sum>();
  readonly all: Sum = { files: 0, before: 0, after: 0 };
  smaller = 0;
  bytesSaved = 0;

  constructor(private readonly formats: Formats) {}

  add({ format, skipReason, originalSize, compressedSize, bytesSaved }: RememberedReport) {
    this.bytesSaved += bytesSaved;
    if (bytesSaved > 0) this.smaller++;
    const kind = skipReason ? UNCHANGED : this.formats.of(format).label;
    const row = this.rows.get(kind) ?? { files: 0, before: 0, after: 0 };
    this.rows.set(kind, row);
    for (const sum of [row, this.all]) {
      sum.files++;
      sum.before += originalSize;
      sum.after += compressedSize;
    }
  }

  /** Bytes; negative if images that had to be scaled have grown. */
  get saved(): number {
    return this.all.before - this.all.after;
  }

  table(): string {
    const isLast = (kind: string) => Number(kind === UNCHANGED);
    const rows = [...this.rows].sort(([a], [b]) => isLast(a) - isLast(b) || a.localeCompare(b, 'en'));
    const kinds = rows.map(([kind, sum]) => cells(kind, sum));
    const lines = [['', 'files', 'before', 'after', 'change'], ...kinds, cells('total', this.all)];
    const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
    return lines
      .map((line) =>
        line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
      )
      .join('\n');
  }
}

function cells(kind: string, { files, before, after }: Sum) {
  return [kind, String(files), asSize(before), asSize(after), changeText(before, after)];
}

/** With one decimal, so that columns line up. */
export function asSize(bytes: number): string {
  return bytesText(bytes, 1);
}
