import { comparedNumber, compareOther } from '../state/compared';
import { markSaved } from '../state/downloads';
import { doneJobs, type DoneJob } from '../state/jobs';
import { downloadName } from '../words/file-names';
import { Icon } from './icons';

interface CompareHeadProps {
  readonly job: DoneJob;
  readonly onClose: () => void;
}

export function CompareHead({ job: { id, file, state }, onClose }: CompareHeadProps) {
  const count = doneJobs.value.length;
  return (
    <header class="compare-head">
      {count > 1 && (
        <div class="actions">
          <button
            type="button"
            class="icon-only"
            aria-label="Previous image"
            onClick={() => compareOther(-1)}
          >
            <Icon name="previous" />
          </button>
          <span class="hint compare-number">
            {comparedNumber} of {count}
          </span>
          <button type="button" class="icon-only" aria-label="Next image" onClick={() => compareOther(1)}>
            <Icon name="next" />
          </button>
        </div>
      )}
      <h2 id="compare-title">{file.name}</h2>
      <a
        class="button download"
        href={state.url}
        download={downloadName(file.name, state.report.format)}
        onClick={() => markSaved(id)}
        aria-label={`Download ${file.name}`}
      >
        <Icon name="download" />
        <span>Download</span>
      </a>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </header>
  );
}
