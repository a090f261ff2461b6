/** What a build says of the bytes that its images had and have. */
import { bytesText, changeText } from '../contract/units';

/** In bytes. */
export interface Change {
  readonly before: number;
  readonly after: number;
}

export function formatTotals(changes: readonly Change[]): string {
  const sum = (key: keyof Change) => changes.reduce((total, change) => total + change[key], 0);
  const images = changes.length === 1 ? '1 image' : `${changes.length} images`;
  return `${images}, ${formatChange({ before: sum('before'), after: sum('after') })}`;
}

/** @param width of each number, for columns */
export function formatChange({ before, after }: Change, width = 0): string {
  const [from, to] = [before, after].map((bytes) => bytesText(bytes, 1).padStart(width));
  return `${from} -> ${to} (${changeText(before, after)})`;
}
