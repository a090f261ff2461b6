import { bytesText } from '../../../../contract/units';
import { isDeadEnd, jobs, type Job } from '../../state/jobs';
import { countText } from '../../words/numbers';
import { FileName } from '../parts/file-name';
import { Icon } from '../parts/icons';
import { RemoveButton } from '../job/remove-button';

/** What cannot be compressed: a line for each file, and what to do once for all that have the same fault. */
export function Failures() {
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
