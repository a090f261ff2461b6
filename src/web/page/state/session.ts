/** The end of a session. */
import { compared } from './compared';
import { forgetKey } from './credentials';
import { announcement } from './announcements';
import { resume } from './queue';
import { forgetEverything } from './removals';

/** Forgets the key and removes every image: nothing of the person stays in the page. */
export function signOut(): void {
  compared.value = undefined;
  announcement.value = '';
  forgetEverything();
  forgetKey();
  resume();
}
