/** Removes images from the list and restores them; at the end of a session, removes them for good. */
import { computed, signal } from '@preact/signals';
import { announcement } from './announcements';
import { comparedId } from './compared';
import { keepKey } from './credentials';
import { jobs, putBack, release, takeOff, type TakenJob } from './jobs';
import { resume } from './pause';
import { cancel } from './queue';

/** The images that `undo` restores, one entry per removal, the latest last. */
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

/** Discards removed images. */
export function forgetRemoved(): void {
  release(removed.value.flat());
  removed.value = [];
}

/** Forgets the key and removes every image for good: no personal data stay in the page. */
export function signOut(): void {
  comparedId.value = undefined;
  announcement.value = '';
  clear();
  forgetRemoved();
  keepKey(undefined, false);
  resume();
}
