import { putBack, release, removedJobs, type Job } from '../../state/jobs';
import { remove } from '../../state/removals';
import { countText } from '../../words/numbers';
import { focusList, thenFocusList } from '../parts/focus';
import { IconButton } from '../parts/icons';

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

/** Restores removed images until it is dismissed. It lies on top, so that no row moves when it appears. */
export function UndoToast() {
  const { length } = removedJobs.value;
  return (
    <div role="status">
      {length > 0 && (
        <div class="toast row card less">
          <p class="grow">{countText(length, 'image')} removed.</p>
          <button onClick={thenFocusList(putBack)}>Undo</button>
          <IconButton icon="remove" label="Dismiss" class="quiet" onClick={thenFocusList(release)} />
        </div>
      )}
    </div>
  );
}
