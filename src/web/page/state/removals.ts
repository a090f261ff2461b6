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

export function remove(ids: readonly number[]) {
  ids.forEach(cancel);
  removed.value = [...removed.value, takeOff(new Set(ids))];
}

export function clear() {
  remove(jobs.value.map(({ id }) => id));
}

export function undo() {
  const taken = removed.value;
  removed.value = [];
  // Each position dates from after the removals before it.
  taken.toReversed().forEach(putBack);
}

export function forgetRemoved() {
  release(removed.value.flat());
  removed.value = [];
}

/** No personal data stay in the page. */
export function signOut() {
  closeComparison();
  announcement.value = '';
  clear();
  forgetRemoved();
  keepKey(undefined, false);
  resume();
}
