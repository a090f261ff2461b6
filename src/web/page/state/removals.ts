import { computed, signal } from '@preact/signals';
import { announcement } from './announcements';
import { closeComparison } from './compared';
import { keepKey } from './credentials';
import { jobs, putBack, release, takeOff, type TakenJob } from './jobs';
import { resume } from './pause';
import { cancel } from './queue';

/** One entry per removal, the latest last. */
const removed = signal<readonly (readonly TakenJob[])[]>([]);

export const removedCount = computed(() => removed.value.flat().length);

export function remove(ids: readonly number[]): void {
  ids.forEach(cancel);
  removed.value = [...removed.value, takeOff(new Set(ids))];
}

export function clear(): void {
  remove(jobs.value.map(({ id }) => id));
}

export function undo(): void {
  const taken = removed.value;
  removed.value = [];
  // Each position dates from after the removals before it.
  taken.toReversed().forEach(putBack);
}

export function forgetRemoved(): void {
  release(removed.value.flat());
  removed.value = [];
}

/** No personal data stay in the page. */
export function signOut(): void {
  closeComparison();
  announcement.value = '';
  clear();
  forgetRemoved();
  keepKey(undefined, false);
  resume();
}
