import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { signOut } from '../../state/removals';
import { DownloadResults } from '../list/download-results';

export const isAskingToSignOut = signal(false);

/** Asks before signing out removes results that were not saved. */
export function SignOutDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isAskingToSignOut.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  const close = () => dialog.current?.close();
  const leave = () => {
    close();
    signOut();
  };
  return (
    <dialog
      ref={dialog}
      class="question"
      aria-labelledby="sign-out-title"
      onClose={() => (isAskingToSignOut.value = false)}
    >
      <h2 id="sign-out-title">Sign out and remove the images?</h2>
      <p>You have not downloaded every result. Signing out removes them from this page.</p>
      <div class="actions">
        <button type="button" onClick={leave}>
          Sign out
        </button>
        <button type="button" onClick={close}>
          Stay
        </button>
        <DownloadResults isPrimary />
      </div>
    </dialog>
  );
}
