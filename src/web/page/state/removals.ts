import { announcement } from './announcements';
import { closeComparison } from './compared';
import { keepKey } from './credentials';
import { jobs, release, takeOff } from './jobs';
import { resume } from './pause';
import { cancel } from './queue';

export function remove(ids: readonly number[]) {
  ids.forEach(cancel);
  takeOff(ids);
}

export function clear() {
  remove(jobs.value.map(({ id }) => id));
}

/** No personal data stay in the page. */
export function signOut() {
  closeComparison();
  announcement.value = '';
  clear();
  release();
  keepKey(undefined, false);
  resume();
}
