import { signal } from '@preact/signals';
import { signOut } from '../../state/removals';
import { DownloadResults } from '../list/download-results';
import { Question } from '../parts/question';

export const isAskingToSignOut = signal(false);

/** Asks before signing out removes results that were not saved. */
export function SignOutDialog() {
  if (!isAskingToSignOut.value) return null;
  const close = () => (isAskingToSignOut.value = false);
  const leave = () => {
    close();
    signOut();
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
