import { bytesText } from '../../../../contract/units';
import { compared } from '../../state/compared';
import { doneJobs, isDeadEnd, jobs, type Job } from '../../state/jobs';
import { countText } from '../../words/numbers';
import { Picture } from '../compare/picture';
import { JobRow } from '../job/job-row';
import { LIST_TITLE } from '../parts/focus';
import { Icon } from '../parts/icons';
import { FileName } from '../parts/text';
import { ListBar } from './list-bar';
import { RemoveButton } from './removals';

export function JobList() {
  const rows = jobs.value.filter((job) => !isDeadEnd(job));
  const only = rows.length === 1 ? doneJobs.value.at(0) : undefined;
  return (
    <section class="job-list stack" aria-labelledby={jobs.value.length > 0 ? LIST_TITLE : undefined}>
      <ListBar />
      {only && <Picture key={only.id} job={only} isCovered={compared.value !== undefined} />}
      {rows.length > 0 && (
        <ul class="card raised ruled">
          {rows.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
      <Failures />
    </section>
  );
}

/** The files that cannot be compressed, one per line; files with the same fault share the advice. */
function Failures() {
  const failed = jobs.value.filter(isDeadEnd);
  if (failed.length === 0) return null;
  const groups = new Map<string, Job[]>();
  for (const job of failed) groups.set(adviceOf(job), [...(groups.get(adviceOf(job)) ?? []), job]);
  return (
    <section class="failures card stack less" aria-labelledby="failures-title">
      <h3 class="row" id="failures-title">
        <Icon name="failed" />
        {countText(failed.length, 'file')} not compressed
      </h3>
      {[...groups].map(([advice, members]) => (
        <div key={advice}>
          <ul>
            {members.map((job) => (
              <Failure key={job.id} job={job} />
            ))}
          </ul>
          {advice && <p class="hint">{advice}</p>}
        </div>
      ))}
    </section>
  );
}

function Failure({ job }: { readonly job: Job }) {
  const { file, state } = job;
  if (state.kind !== 'failed') return null;
  const { title, requestId } = state.trouble;
  return (
    <li class="failure row">
      <h4 aria-label={file.name} title={`${file.name}, ${bytesText(file.size)}`}>
        <FileName name={file.name} />
      </h4>
      <p>
        {title}.{requestId && ` Request id: ${requestId}`}
      </p>
      <RemoveButton job={job} />
    </li>
  );
}

function adviceOf({ state }: Job): string {
  return state.kind === 'failed' ? state.trouble.text : '';
}
