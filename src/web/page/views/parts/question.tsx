import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useModal } from './modal';

interface QuestionProps {
  readonly title: string;
  readonly text: string;
  readonly onClose: () => void;
  /** The answers. */
  readonly children: ComponentChildren;
}

/** Asks before something is lost. Escape closes it. */
export function Question({ title, text, onClose, children }: QuestionProps) {
  const { dialog } = useModal(true);
  const id = useId();
  return (
    <dialog ref={dialog} class="question card" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      <div class="actions">{children}</div>
    </dialog>
  );
}
