import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface QuestionProps {
  readonly title: string;
  readonly text: string;
  readonly onClose: () => void;
  /** The answers. */
  readonly children: ComponentChildren;
}

/** Asks before something is lost. Escape closes it. */
export function Question({ title, text, onClose, children }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="question" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      <div class="actions">{children}</div>
    </dialog>
  );
}
