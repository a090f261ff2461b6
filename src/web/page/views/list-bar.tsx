import { bytesText } from '../../../contract/units';
import { jobs } from '../state/jobs';
import { clear, forgetRemoved, removed, undo } from '../state/removals';
import { summary } from '../state/summary';
import { countText, savingPercent } from '../words/format';
import { countWords } from '../words/summary-words';
import { DownloadResults } from './download-results';
import { focusFileInput } from './drop-zone';
import { Icon } from './icons';

/** The heading of the list. */
export const LIST_TITLE = 'job-list-title';

/** The focus goes here when the control that had it is gone. */
export function focusList(): void {
  if (jobs.value.length > 0) document.getElementById(LIST_TITLE)?.focus();
  else focusFileInput();
}

/** Stays on the screen while the list scrolls: how far everything is, what it saved, what to do with it. */
export function ListBar() {
  const hasJobs = jobs.value.length > 0;
  return (
    <div class={hasJobs || removed.value.length > 0 ? 'list-bar' : undefined}>
      {hasJobs && <Overview />}
      <div role="status">{removed.value.length > 0 && <UndoLine />}</div>
    </div>
  );
}

function Overview() {
  const { isFinished, progress, done, originalSize, bytesSaved } = summary.value;
  return (
    <>
      <div class="overview">
        {done > 0 && <p class="total-saving">{savingPercent(originalSize, bytesSaved)} %</p>}
        <div class="overview-words">
          <h2 id={LIST_TITLE} tabIndex={-1}>
            {countWords(summary.value)}
          </h2>
          <p class="totals" data-testid="totals">
            {done > 0
              ? `${bytesText(originalSize)} → ${bytesText(originalSize - bytesSaved)}`
              : isFinished
                ? 'See below what went wrong'
                : 'Sizes appear as images are done'}
          </p>
        </div>
        <ListActions />
      </div>
      <progress
        class={isFinished ? 'overall finished' : 'overall'}
        max={1}
        value={progress}
        aria-label="Progress of all images"
      />
    </>
  );
}

function ListActions() {
  const clearAll = () => {
    clear();
    focusFileInput();
  };
  return (
    <div class="actions">
      <DownloadResults isPrimary />
      <button type="button" onClick={clearAll}>
        Clear
      </button>
    </div>
  );
}

/** What was removed last can be brought back until something else is removed. */
function UndoLine() {
  const dismiss = () => {
    forgetRemoved();
    focusList();
  };
  const bringBack = () => {
    undo();
    focusList();
  };
  return (
    <div class="undo-line">
      <p>{countText(removed.value.length, 'image')} removed.</p>
      <button type="button" onClick={bringBack}>
        Undo
      </button>
      <button type="button" class="quiet icon-only" onClick={dismiss} aria-label="Dismiss">
        <Icon name="remove" />
      </button>
    </div>
  );
}
