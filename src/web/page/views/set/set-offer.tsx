import type { DoneJob } from '../../state/jobs';
import { setId, setStateOf } from '../../state/sets';

interface SetOfferProps {
  readonly job: DoneJob;
}

/** Among the details of a result, for narrow screens. */
export function SetOffer({ job }: SetOfferProps) {
  return (
    <div class="set-narrow">
      <dt>For web pages</dt>
      <dd>
        <button class="link" onClick={() => (setId.value = job.id)}>
          {labelOf(job)}
          <span class="visually-hidden"> of {job.file.name}</span>
        </button>
        : several widths and formats, with the markup.
      </dd>
    </div>
  );
}

/** In the row of a result, for wide screens. */
export function SetButton({ job }: SetOfferProps) {
  const label = labelOf(job);
  return (
    <button
      class="set-wide"
      aria-label={`${label} of ${job.file.name}`}
      title={label}
      onClick={() => (setId.value = job.id)}
    >
      Responsive set
    </button>
  );
}

function labelOf(job: DoneJob): string {
  return setStateOf(job)?.kind === 'done' ? 'Show the responsive set' : 'Make a responsive set';
}
