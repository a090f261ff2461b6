import { compared, comparedId } from '../../state/compared';
import { doneJobs, jobs } from '../../state/jobs';
import { Picture } from '../compare/picture';
import { JobRow } from '../job/job-row';
import { LIST_TITLE } from '../parts/focus';
import { ListBar } from './list-bar';

export function JobList() {
  if (jobs.value.length === 0) return null;
  const only = jobs.value.length === 1 ? doneJobs.value.at(0) : undefined;
  return (
    <section class="job-list stack" aria-labelledby={LIST_TITLE}>
      <ListBar />
      {only && (
        <Picture
          key={only.id}
          image={only}
          isCovered={compared.value !== undefined}
          onOpen={() => (comparedId.value = only.id)}
        />
      )}
      <ul class="card raised ruled">
        {jobs.value.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}
