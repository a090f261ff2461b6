import { compared, comparedId } from '../../state/compared';
import { useModal } from '../parts/modal';
import { Comparison } from './comparison';

/** Before and after, on top of everything. */
export function CompareDialog() {
  const job = compared.value;
  const { dialog, close } = useModal(job !== undefined);
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
