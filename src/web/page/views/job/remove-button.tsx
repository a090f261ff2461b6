import type { Job } from '../../state/jobs';
import { remove } from '../../state/removals';
import { Icon } from '../parts/icons';
import { focusList } from '../parts/focus';

export function RemoveButton({ job: { id, file } }: { readonly job: Job }) {
  const takeOff = ({ detail }: MouseEvent) => {
    // The second half of a double click would remove the row that has moved to this place.
    if (detail > 1) return;
    remove([id]);
    // The button that had the focus is gone.
    focusList();
  };
  return (
    <button
      type="button"
      class="quiet icon-only remove"
      onClick={takeOff}
      aria-label={`Remove ${file.name}`}
      title="Remove"
    >
      <Icon name="remove" />
    </button>
  );
}
