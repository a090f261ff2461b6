import { facts } from '../../api/facts';
import { comparedNumber, compareOther } from '../../state/compared';
import { markSaved } from '../../state/downloads';
import { doneJobs, type DoneJob } from '../../state/jobs';
import { downloadName } from '../../words/names';
import { looksWords, savingWords } from '../../words/results';
import { FileName } from '../parts/file-name';
import { Icon } from '../parts/icons';
import { ShareButton } from '../parts/share-button';

interface CompareHeadProps {
  readonly job: DoneJob;
  /** Said in the place of how the result compares. */
  readonly note: string | undefined;
  readonly onClose: () => void;
}

/** The upper bar: which image this is, what became of it, and the way out. */
export function CompareHead({ job, note, onClose }: CompareHeadProps) {
  const { id, file, state } = job;
  return (
    <header class="compare-bar compare-head">
      {doneJobs.value.length > 1 && <OtherImages />}
      <div class="compare-title">
        <h2 id="compare-title" aria-label={file.name} title={file.name}>
          <FileName name={file.name} />
        </h2>
        <p class="compare-words" role="status">
          {note ?? `${savingWords(state.report)}\u00a0· ${looksWords(state.report, facts.qualities)}`}
        </p>
      </div>
      <div class="actions">
        <ShareButton jobs={[job]} isIcon />
        <a
          class="button"
          href={state.url}
          download={downloadName(file.name, state.report.format)}
          onClick={() => markSaved(id)}
          aria-label={`Download ${file.name}`}
        >
          <Icon name="download" />
          <span class="wide">Download</span>
        </a>
        <button type="button" class="icon-only" aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="remove" />
        </button>
      </div>
    </header>
  );
}

function OtherImages() {
  return (
    <div class="actions compare-others">
      <button
        type="button"
        class="icon-only"
        aria-label="Previous image"
        title="Previous image"
        onClick={() => compareOther(-1)}
      >
        <Icon name="previous" />
      </button>
      <span class="compare-number">
        {comparedNumber} of {doneJobs.value.length}
      </span>
      <button
        type="button"
        class="icon-only"
        aria-label="Next image"
        title="Next image"
        onClick={() => compareOther(1)}
      >
        <Icon name="next" />
      </button>
    </div>
  );
}
