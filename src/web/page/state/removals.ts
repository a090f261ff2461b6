/** Taking images off the list, and bringing back those that were taken off last. */
import { signal } from '@preact/signals';
import { jobs, putBack, release, takeOff, type TakenJob } from './jobs';
import { cancel } from './queue';

/** What `undo` brings back; empty when there is nothing. */
export const removed = signal<readonly TakenJob[]>([]);

export function remove(ids: readonly number[]): void {
  ids.forEach(cancel);
  forgetRemoved();
  removed.value = takeOff(new Set(ids));
}

export function clear(): void {
  remove(jobs.value.map(({ id }) => id));
}

export function undo(): void {
  const taken = removed.value;
  removed.value = [];
  putBack(taken);
}

/** Gives up what was removed. */
export function forgetRemoved(): void {
  release(removed.value);
  removed.value = [];
}

/** Removes every image for good: nothing of them stays in the page. */
export function forgetEverything(): void {
  clear();
  forgetRemoved();
}
