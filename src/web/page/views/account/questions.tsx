import { signal } from '@preact/signals';
import { apiKey } from '../../state/credentials';
import { acceptLink, linkedKey, linkTrouble } from '../../state/entry';
import { signOut } from '../../state/removals';
import { Question } from '../parts/dialog';
import { DownloadResults } from '../parts/downloads';
import { FILE_INPUT, focusFileInput, focusFirst, KEYS_BUTTON } from '../parts/focus';

export const isAskingToSignOut = signal(false);

/** Asks before signing out removes results that were not saved. */
export function SignOutDialog() {
  if (!isAskingToSignOut.value) return null;
  const close = () => (isAskingToSignOut.value = false);
  const leave = () => {
    close();
    signOut();
    focusFileInput();
  };
  return (
    <Question
      title="Sign out and remove the images?"
      text="You have not downloaded every result. Signing out removes them from this page."
      onClose={close}
    >
      <button onClick={leave}>Sign out</button>
      <button onClick={close}>Stay</button>
      <DownloadResults isPrimary />
    </Question>
  );
}

/** Asks before a link replaces the key in use, and says why a link does not work. */
export function KeyLinkDialog() {
  const trouble = linkTrouble.value;
  const key = linkedKey.value;
  // No control of the page opens this.
  const focus = () => focusFirst(KEYS_BUTTON, FILE_INPUT);
  const close = () => {
    linkedKey.value = linkTrouble.value = undefined;
    focus();
  };
  if (trouble) {
    return (
      <Question title="The link does not work" text={`${trouble.title}. ${trouble.text}`} onClose={close}>
        <button class="primary" onClick={close}>
          Close
        </button>
      </Question>
    );
  }
  if (!key) return null;
  const replace = () => {
    void acceptLink(key);
    focus();
  };
  return (
    <Question
      title="Use the key of the link?"
      text={`This page uses another key, ${apiKey.value?.slice(0, 10)}…, and forgets it then. The list stays.`}
      onClose={close}
    >
      <button onClick={replace}>Replace the key</button>
      <button class="primary" onClick={close}>
        Keep it
      </button>
    </Question>
  );
}
