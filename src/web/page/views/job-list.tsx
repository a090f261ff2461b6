import { useSignal } from '@preact/signals';
import { doneJobs, isActive, jobs } from '../state/jobs';
import { saveArchive } from '../state/downloads';
import { discard } from '../state/queue';
import { bytesText, countText, savingPercent } from '../words/format';
import { focusFileInput } from './drop-zone';
import { JobRow, LIST_TITLE } from './job-row';

export function JobList() {
  if (jobs.value.length === 0) return null;
  return (
    <section class="job-list" aria-labelledby={LIST_TITLE}>
      <div class="job-list-head">
        <div>
          <h2 id={LIST_TITLE} tabIndex={-1}>
            Your images
          </h2>
          <Totals />
        </div>
        <ListActions />
      </div>
      <ul>
        {jobs.value.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}

function Totals() {
  const reports = doneJobs.value.map(({ state }) => state.report);
  const original = reports.reduce((sum, report) => sum + report.originalSize, 0);
  const saved = reports.reduce((sum, report) => sum + report.bytesSaved, 0);
  return (
    <p class="totals" data-testid="totals">
      {reports.length} of {countText(jobs.value.length, 'image')} done
      {reports.length > 0 &&
        ` · ${bytesText(saved)} of ${bytesText(original)} saved (${savingPercent(original, saved)} %)`}
    </p>
  );
}

function ListActions() {
  const isPacking = useSignal(false);
  const done = doneJobs.value;
  const pack = async () => {
    if (isPacking.value) return;
    isPacking.value = true;
    await saveArchive(done);
    isPacking.value = false;
  };
  const clear = () => {
    for (const job of jobs.value) if (!isActive(job)) discard(job.id);
    if (jobs.value.length === 0) focusFileInput();
  };
  return (
    <div class="actions">
      {done.length > 1 && (
        <button type="button" class="primary" aria-disabled={isPacking.value} onClick={() => void pack()}>
          Download all as ZIP
        </button>
      )}
      <button type="button" onClick={clear}>
        Clear list
      </button>
    </div>
  );
}
