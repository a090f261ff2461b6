import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusFirst } from './focus';

interface DialogProps {
  readonly class: string;
  readonly titleId: string;
  readonly fallbackId: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The focus returns to the control that had it before, or else to `fallbackId`. */
export function Dialog({ class: name, titleId, fallbackId, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the effects of its children, which measure.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => {
      current?.close();
      focusFirst(fallbackId);
    };
  }, []);
  // The event of a dialog that has left the page comes late, when another one may be open.
  const closeOnce = () => dialog.current && onClose();
  return (
    <dialog ref={dialog} class={name} aria-labelledby={titleId} onClose={closeOnce}>
      {children}
    </dialog>
  );
}
