import { compared } from '../../state/compared';
import { doneJobs, isDeadEnd, jobs } from '../../state/jobs';
import { LIST_TITLE } from '../parts/focus';
import { Failures } from './failures';
import { JobRow } from '../job/job-row';
import { ListBar } from './list-bar';
import { Picture } from '../compare/picture';

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
