import type { Job } from '../../state/jobs';
import { remove } from '../../state/removals';
import { IconButton } from '../parts/icons';
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
    <IconButton
      icon="remove"
      label={`Remove ${file.name}`}
      title="Remove"
      class="quiet remove"
      onClick={takeOff}
    />
  );
}
