import { countText, savingPercent } from './format';

/** The list as a whole. */
export interface Summary {
  readonly total: number;
  /** With a result, files that came back unchanged included. */
  readonly done: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly isFinished: boolean;
  /** 0..1 of the work on the whole list. */
  readonly progress: number;
  /** Bytes of the images that are done. */
  readonly originalSize: number;
  readonly bytesSaved: number;
}

/** What became of the list so far: "12 of 30 done, 1 failed", at the end "29 done (2 unchanged), 1 failed". */
export function countWords({ total, done, unchanged, failed, isFinished }: Summary): string {
  if (isFinished && unchanged === 0 && failed === 0) return `${countText(done, 'image')} done`;
  const same = isFinished && unchanged > 0 ? ` (${unchanged} unchanged)` : '';
  const faults = failed > 0 ? `, ${failed} failed` : '';
  return `${isFinished ? done : `${done} of ${total}`} done${same}${faults}`;
}

/** The title of the tab, whose beginning is all that a row of tabs shows. */
export function titleWords(summary: Summary, name: string): string {
  const { total, done, failed, isFinished, originalSize, bytesSaved } = summary;
  if (total === 0) return name;
  if (!isFinished) return `${done + failed} of ${total} · ${name}`;
  const saved = bytesSaved > 0 ? [`${savingPercent(originalSize, bytesSaved)} % saved`] : [];
  const faults = failed > 0 ? [`${failed} failed`] : [];
  return `✓ ${[...saved, ...faults, name].join(' · ')}`;
}
