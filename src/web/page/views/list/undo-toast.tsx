import { forgetRemoved, removedCount, undo } from '../../state/removals';
import { countText } from '../../words/numbers';
import { IconButton } from '../parts/icons';
import { focusList } from '../parts/focus';

/** What was removed can be brought back until this is dismissed. It lies on top, so that no row moves when it comes. */
export function UndoToast() {
  const then = (action: () => void) => () => {
    action();
    focusList();
  };
  return (
    <div role="status">
      {removedCount.value > 0 && (
        <div class="toast row card less">
          <p class="grow">{countText(removedCount.value, 'image')} removed.</p>
          <button onClick={then(undo)}>Undo</button>
          <IconButton icon="remove" label="Dismiss" class="quiet" onClick={then(forgetRemoved)} />
        </div>
      )}
    </div>
  );
}
