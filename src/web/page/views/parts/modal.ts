import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';

/** A dialog on top of everything. Close it with `close`: then the browser gives the focus back. */
export function useModal(isOpen: boolean) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useCallback(() => dialog.current?.close(), []);
  // Before the effects of its children, which measure.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return { dialog, close };
}
