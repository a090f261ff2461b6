/** The list as a whole, and the files that are about to join it. */
import { UPLOADS } from '../../../contract/formats';
import { bytesText } from '../../../contract/units';
import { countText, savingPercent } from './numbers';

export interface Summary {
  readonly total: number;
  /** Images with a result, including files that came back unchanged. */
  readonly done: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly isFinished: boolean;
  /** 0..1 of the work on the whole list. */
  readonly progress: number;
  /** Bytes of the images that are done. */
  readonly originalSize: number;
  readonly bytesSaved: number;
  /** Results that a byte limit has cost pixels. */
  readonly costly: number;
}

/** The state of the list: "12 of 30 done, 1 failed", at the end "29 done (2 unchanged), 1 failed". */
export function countWords({ total, done, unchanged, failed, isFinished }: Summary): string {
  if (isFinished && unchanged === 0 && failed === 0) return `${countText(done, 'image')} done`;
  const same = isFinished && unchanged > 0 ? ` (${unchanged} unchanged)` : '';
  const faults = failed > 0 ? `, ${failed} failed` : '';
  return `${isFinished ? done : `${done} of ${total}`} done${same}${faults}`;
}

/** The bytes of the list: "3.9 MB → 173 kB in total, 4 with fewer pixels". */
export function totalWords({ originalSize, bytesSaved, costly }: Summary): string {
  const fewer = costly > 0 ? `, ${costly} with fewer pixels` : '';
  return `${bytesText(originalSize)} → ${bytesText(originalSize - bytesSaved)} in total${fewer}`;
}

/** The title of the tab; the most important part comes first, because a row of tabs shows no more. */
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
  /** Number of files among them that are neither JPG nor PNG. */
  readonly others: number;
}

/** Says what will happen when the files are dropped. */
export function dropWords({ count, others }: DraggedFiles): string {
  if (count > 0 && others === count) return `Only ${UPLOADS.and} images can be compressed`;
  if (count === 0) return 'Drop to compress';
  const rest = others > 0 ? `; ${others} ${others === 1 ? 'is' : 'are'} ${UPLOADS.neitherNor}` : '';
  return `Drop to compress ${countText(count - others, 'image')}${rest}`;
}

/**
 * Says how many images a choice takes; undefined if it takes none.
 * @param subject the choice
 * @param count images that are made, at most
 * @param trialLeft images left in the trial; undefined for an account
 * @param perMinute the account's images per minute; 0 = any number
 */
export function costWords(
  subject: string,
  count: number,
  trialLeft: number | undefined,
  perMinute: number,
): string | undefined {
  if (count === 0 || (trialLeft === undefined && perMinute === 0)) return undefined;
  const rest =
    trialLeft === undefined ? `you have ${perMinute} a minute` : `your trial has ${trialLeft} left`;
  return `${subject} takes ${countText(count, 'image')}; ${rest}`;
}
