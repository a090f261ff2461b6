import { forgetRemoved, removedCount, undo } from '../../state/removals';
import { countText } from '../../words/numbers';
import { Icon } from '../parts/icons';
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
        <div class="toast">
          <p>{countText(removedCount.value, 'image')} removed.</p>
          <button type="button" onClick={then(undo)}>
            Undo
          </button>
          <button type="button" class="quiet icon-only" onClick={then(forgetRemoved)} aria-label="Dismiss">
            <Icon name="remove" />
          </button>
        </div>
      )}
    </div>
  );
}
