/** Removing images from the list, and bringing them back; at the end of a session, for good. */
import { computed, signal } from '@preact/signals';
import { announcement } from './announcements';
import { compared } from './compared';
import { forgetKey } from './credentials';
import { jobs, putBack, release, takeOff, type TakenJob } from './jobs';
import { resume } from './pause';
import { cancel } from './queue';

/** What `undo` brings back, one entry for each removal, the latest last. */
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
  // Each stood where it was after the removals before it.
  taken.toReversed().forEach(putBack);
}

/** Gives up what was removed. */
export function forgetRemoved(): void {
  release(removed.value.flat());
  removed.value = [];
}

/** Forgets the key and removes every image for good: nothing of the person stays in the page. */
export function signOut(): void {
  compared.value = undefined;
  announcement.value = '';
  clear();
  forgetRemoved();
  forgetKey();
  resume();
}
