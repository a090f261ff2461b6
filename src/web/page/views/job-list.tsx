import { jobs } from '../state/jobs';
import { JobRow } from './job-row';
import { LIST_TITLE, ListBar } from './list-bar';

export function JobList() {
  return (
    <section class="job-list" aria-labelledby={jobs.value.length > 0 ? LIST_TITLE : undefined}>
      <ListBar />
      {jobs.value.length > 0 && (
        <ul>
          {jobs.value.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </section>
  );
}
