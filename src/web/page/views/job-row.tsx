import { compared } from '../state/compared';
import { isDone, jobs, type DoneJob, type Job } from '../state/jobs';
import { discard, retry } from '../state/queue';
import { downloadName } from '../words/file-names';
import { bytesText } from '../words/format';
import { focusFileInput } from './drop-zone';
import { JobProgress } from './job-progress';
import { JobReport } from './job-report';

/** The heading above the rows. */
export const LIST_TITLE = 'job-list-title';

/** One image: what it is, how far it is, what came of it. */
export function JobRow({ job }: { readonly job: Job }) {
  const { id, file, state } = job;
  const remove = () => {
    discard(id);
    // The button that had the focus is gone.
    if (jobs.value.length > 0) document.getElementById(LIST_TITLE)?.focus();
    else focusFileInput();
  };
  return (
    <li class="job" data-state={state.kind}>
      <Thumbnail job={job} />
      <div class="job-body">
        <h3>{file.name}</h3>
        {isDone(job) ? <JobReport job={job} /> : <p class="size">{bytesText(file.size)}</p>}
        {state.kind === 'failed' ? (
          <div class="trouble">
            <p>
              <strong>{state.trouble.title}.</strong> {state.trouble.text}
            </p>
            {state.trouble.requestId && <p class="hint">Request id: {state.trouble.requestId}</p>}
          </div>
        ) : (
          <JobProgress job={job} />
        )}
      </div>
      <div class="actions">
        {isDone(job) && <ResultActions job={job} />}
        {state.kind === 'failed' && !state.isFinal && (
          <button type="button" onClick={() => retry(id)} aria-label={`Try ${file.name} again`}>
            Try again
          </button>
        )}
        <button type="button" class="quiet" onClick={remove} aria-label={`Remove ${file.name}`}>
          Remove
        </button>
      </div>
    </li>
  );
}

function Thumbnail({ job }: { readonly job: Job }) {
  const isImage = job.state.kind !== 'checking' && !(job.state.kind === 'failed' && job.state.isFinal);
  return (
    <div class="thumbnail">
      {isImage && <img src={job.originalUrl} alt="" width="72" height="72" loading="lazy" decoding="async" />}
    </div>
  );
}

function ResultActions({ job }: { readonly job: DoneJob }) {
  const { file, state } = job;
  return (
    <>
      <button type="button" onClick={() => (compared.value = job)} aria-label={`Compare ${file.name}`}>
        Compare
      </button>
      <a
        class="button"
        href={state.url}
        download={downloadName(file.name, state.report.format)}
        aria-label={`Download ${file.name}`}
      >
        Download
      </a>
    </>
  );
}
