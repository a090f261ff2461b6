import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { compared, comparedId } from '../../state/compared';
import { Comparison } from './comparison';

/** Before and after, on top of everything; the browser gives the focus back when it closes. */
export function CompareDialog() {
  const job = compared.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = job !== undefined;
  const close = useCallback(() => dialog.current?.close(), []);
  // Before the effects of its children, which measure.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="compare"
      aria-labelledby="compare-title"
      onClose={() => (comparedId.value = undefined)}
    >
      {job && <Comparison job={job} onClose={close} />}
    </dialog>
  );
}
