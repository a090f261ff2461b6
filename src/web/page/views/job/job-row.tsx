import { useSignal } from '@preact/signals';
import { bytesText } from '../../../../contract/units';
import { compared } from '../../state/compared';
import { markSaved } from '../../state/downloads';
import { isDone, isOverBudget, type DoneJob, type Job } from '../../state/jobs';
import { retry } from '../../state/queue';
import { downloadName } from '../../words/names';
import { BudgetWays } from './budget-ways';
import { FileName } from '../parts/file-name';
import { Icon } from '../parts/icons';
import { JobDetails } from './job-details';
import { JobOutcome, Saving } from './job-outcome';
import { JobProgress } from './job-progress';
import { RemoveButton } from './remove-button';
import { ShareButton } from '../parts/share-button';

/** One image: what it is, how far it is, what came of it. */
export function JobRow({ job }: { readonly job: Job }) {
  const isOpen = useSignal(false);
  const { id, file, state } = job;
  const details = `details-${id}`;
  const kind = isOverBudget(job) ? 'over-budget' : state.kind;
  return (
    <li class={isOpen.value ? 'job open' : 'job'} data-state={kind}>
      <Thumbnail job={job} />
      <div class="job-words">
        <h3 aria-label={file.name} title={file.name}>
          {isOpen.value ? file.name : <FileName name={file.name} />}
        </h3>
        <JobLine job={job} />
        {isDone(job) && <Saving report={job.state.report} />}
      </div>
      <div class="actions">
        {isDone(job) && <ResultActions job={job} />}
        {isOverBudget(job) && <BudgetWays job={job} />}
        {state.kind === 'failed' && !state.isFinal && (
          <button type="button" onClick={() => retry(id)} aria-label={`Try ${file.name} again`}>
            <Icon name="retry" />
            Try again
          </button>
        )}
        <RemoveButton job={job} />
      </div>
      {isDone(job) && (
        <button
          type="button"
          class="quiet icon-only chevron"
          aria-label={`Details of ${file.name}`}
          aria-expanded={isOpen.value}
          aria-controls={isOpen.value ? details : undefined}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="chevron" />
        </button>
      )}
      {isDone(job) && isOpen.value && <JobDetails id={details} job={job} />}
    </li>
  );
}

/** Below the name: the outcome, the way to it, or why there is none. */
function JobLine({ job }: { readonly job: Job }) {
  const { file, state } = job;
  if (isDone(job)) return <JobOutcome job={job} />;
  if (state.kind !== 'failed') return <JobProgress job={job} />;
  return (
    <div class="job-trouble">
      <p>
        <strong>{state.trouble.title}.</strong> {state.trouble.text}
      </p>
      <p class="hint">
        {bytesText(file.size)}
        {state.trouble.requestId && `\u00a0· Request id: ${state.trouble.requestId}`}
      </p>
    </div>
  );
}

function Thumbnail({ job }: { readonly job: Job }) {
  const isImage = job.state.kind !== 'checking';
  return (
    <div class="thumbnail" onClick={() => isDone(job) && (compared.value = job)}>
      {isImage && <img src={job.originalUrl} alt="" width="44" height="44" loading="lazy" decoding="async" />}
    </div>
  );
}

function ResultActions({ job }: { readonly job: DoneJob }) {
  const { id, file, state } = job;
  return (
    <>
      <button
        type="button"
        class="compare-button"
        onClick={() => (compared.value = job)}
        aria-label={`Compare ${file.name}`}
      >
        Compare
      </button>
      <a
        class="button download"
        href={state.url}
        download={downloadName(file.name, state.report.format)}
        onClick={() => markSaved(id)}
        aria-label={`Download ${file.name}`}
      >
        <Icon name="download" />
        <span class="wide">Download</span>
      </a>
      <ShareButton jobs={[job]} />
    </>
  );
}
