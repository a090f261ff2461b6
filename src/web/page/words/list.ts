import type { Formats } from '../../../contract/formats';
import { bytesText } from '../../../contract/units';
import { countText, savingPercent } from './numbers';

export interface Summary {
  readonly total: number;
  readonly done: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly isFinished: boolean;
  readonly progress: number;
  readonly originalSize: number;
  readonly bytesSaved: number;
  /** Results that a byte limit has cost pixels. */
  readonly costly: number;
}

/** "12 of 30 done, 1 failed", at the end "29 done (2 unchanged), 1 failed" */
export function countWords({ total, done, unchanged, failed, isFinished }: Summary): string {
  if (isFinished && unchanged === 0 && failed === 0) return `${countText(done, 'image')} done`;
  const same = isFinished && unchanged > 0 ? ` (${unchanged} unchanged)` : '';
  const faults = failed > 0 ? `, ${failed} failed` : '';
  return `${isFinished ? done : `${done} of ${total}`} done${same}${faults}`;
}

/** "3.9 MB → 173 kB in total, 4 with fewer pixels" */
export function totalWords({ originalSize, bytesSaved, costly }: Summary): string {
  const fewer = costly > 0 ? `, ${costly} with fewer pixels` : '';
  return `${bytesText(originalSize)} → ${bytesText(originalSize - bytesSaved)} in total${fewer}`;
}

/** The most important part comes first, because a row of tabs shows no more. */
export function titleWords(summary: Summary, name: string): string {
  const { total, done, failed, isFinished, originalSize, bytesSaved } = summary;
  if (total === 0) return name;
  if (!isFinished) return `${done + failed} of ${total} · ${name}`;
  const saved = bytesSaved > 0 ? [`${savingPercent(originalSize, bytesSaved)}% smaller`] : [];
  const faults = failed > 0 ? [`${failed} failed`] : [];
  return `${done > 0 ? '✓ ' : ''}${[...saved, ...faults, name].join(' · ')}`;
}

export interface DraggedFiles {
  /** 0 if the browser does not know it. */
  readonly count: number;
  /** In formats that the service does not take. */
  readonly others: number;
}

export function dropWords({ count, others }: DraggedFiles, { uploads }: Formats): string {
  if (count > 0 && others === count) return `Only ${uploads.and} images can be compressed`;
  if (count === 0) return 'Drop to compress';
  const rest = others > 0 ? `; ${others} ${others === 1 ? 'is' : 'are'} not ${uploads.or}` : '';
  return `Drop to compress ${countText(count - others, 'image')}${rest}`;
}

/** Undefined while there is plenty, and for accounts (`left` undefined). */
export function scarcityWords(count: number, left = Infinity): string | undefined {
  if (count * 2 <= left) return undefined;
  const rest = countText(left, 'free image');
  if (count > left) return `You have ${rest} left`;
  if (count < left) return `Takes ${count} of your ${rest}`;
  return `Takes your last ${left === 1 ? 'free image' : rest}`;
}

export function jpegWords(estimates: readonly (readonly [png: number, jpeg: number])[]): string {
  const sum = (place: 0 | 1) => bytesText(estimates.reduce((total, sizes) => total + sizes[place], 0));
  const count = estimates.length;
  const subject = count === 1 ? '1 photo is' : `${count} photos are`;
  return `${subject} stored as PNG: about ${sum(1)} as JPG instead of ${sum(0)}.`;
}
