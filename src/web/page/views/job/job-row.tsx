import { useSignal } from '@preact/signals';
import { bytesText } from '../../../../contract/units';
import { takeLeastBytes } from '../../state/choices';
import { comparedId } from '../../state/compared';
import { canRetry, isDeadEnd, isDone, isOverBudget, type DoneJob, type Job } from '../../state/jobs';
import { retry } from '../../state/queue';
import type { Trouble } from '../../words/trouble';
import { RemoveButton } from '../list/removals';
import { DownloadLink } from '../parts/downloads';
import { Icon } from '../parts/icons';
import { focusFirst } from '../parts/focus';
import { FileName, TroubleText } from '../parts/text';
import { JobDetails } from './job-details';
import { JobOutcome, Saving } from './job-outcome';
import { JobProgress } from './job-progress';

export function JobRow({ job }: { readonly job: Job }) {
  const isOpen = useSignal(false);
  const { id, file, state } = job;
  const done = isDone(job) ? job : undefined;
  const [heading, details] = [headingId(job), `details-${id}`];
  const tryAgain = () => {
    retry(id);
    focusFirst(heading);
  };
  const classes = ['job', isOpen.value && 'open', isOverBudget(job) && 'over-budget']
    .filter(Boolean)
    .join(' ');
  return (
    <li class={classes} data-state={done ? 'done' : state.kind}>
      <Thumbnail job={job} />
      <div class="job-words">
        <h3 id={heading} tabIndex={-1} aria-label={file.name} title={file.name}>
          {isOpen.value ? file.name : <FileName name={file.name} />}
        </h3>
        {state.kind === 'failed' && <Failure trouble={state.trouble} hasEarlierResult={done !== undefined} />}
        {done && <JobOutcome job={done} />}
        <JobProgress job={job} />
        {done && <Saving job={done} />}
      </div>
      <div class="actions tight">
        {done && <ResultActions job={done} />}
        {isOverBudget(job) && <LeastBytes job={job} />}
        {canRetry(job) && (
          <button class="retry" onClick={tryAgain} aria-label={`Try again: ${file.name}`}>
            <Icon name="retry" />
            Try again
          </button>
        )}
      </div>
      <RemoveButton job={job} />
      {done && (
        <button
          class="quiet icon-only chevron"
          aria-label={`Details of ${file.name}`}
          aria-expanded={isOpen.value}
          aria-controls={isOpen.value ? details : undefined}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="chevron" />
        </button>
      )}
      {done && isOpen.value && <JobDetails id={details} job={done} />}
    </li>
  );
}

const headingId = ({ id }: Job) => `job-${id}`;

interface FailureProps {
  readonly trouble: Trouble;
  readonly hasEarlierResult: boolean;
}

function Failure({ trouble, hasEarlierResult }: FailureProps) {
  return (
    <div class="job-trouble wrong small">
      <p>
        <TroubleText trouble={trouble} /> {hasEarlierResult && 'Earlier result:'}
      </p>
      {trouble.requestId && <p class="hint">Request id: {trouble.requestId}</p>}
    </div>
  );
}

/** Of the upload, or of the result where the browser does not show the format of the upload. */
function Thumbnail({ job }: { readonly job: Job }) {
  const unshown = useSignal<readonly string[]>([]);
  const urls = [job.originalUrl, job.result?.url].filter((url) => url !== undefined);
  const url = urls.find((one) => !unshown.value.includes(one));
  return (
    <div class="thumbnail" onClick={() => isDone(job) && (comparedId.value = job.id)}>
      {isDone(job) && (
        <span class="opens">
          <Icon name="compare" size={16} />
        </span>
      )}
      {(url === undefined || isDeadEnd(job)) && <Icon name={isDeadEnd(job) ? 'failed' : 'result'} />}
      {url !== undefined && !isDeadEnd(job) && (
        <img
          src={url}
          alt=""
          width="44"
          height="44"
          loading="lazy"
          decoding="async"
          onError={() => (unshown.value = [...unshown.value, url])}
        />
      )}
    </div>
  );
}

function ResultActions({ job }: { readonly job: DoneJob }) {
  const { id, file } = job;
  return (
    <>
      <button
        class="compare-button"
        onClick={() => (comparedId.value = id)}
        aria-label={`Compare ${file.name}`}
      >
        Compare
      </button>
      <DownloadLink job={job} />
    </>
  );
}

function LeastBytes({ job }: { readonly job: Job }) {
  const { file, state } = job;
  const least = state.kind === 'failed' ? state.trouble.leastBytes : undefined;
  if (least === undefined) return null;
  const text = `Use ${bytesText(least)}`;
  const take = () => {
    takeLeastBytes(job, least);
    focusFirst(headingId(job));
  };
  return (
    <button onClick={take} aria-label={`${text} for ${file.name}`}>
      {text}
    </button>
  );
}
