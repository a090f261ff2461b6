import { bytesText } from '../../../../contract/units';
import { facts } from '../../api/facts';
import { hasEnded, isActive, isDone, type Job } from '../../state/jobs';
import { searchWords } from '../../words/results';
import { Seconds } from '../parts/text';

export function JobProgress({ job }: { readonly job: Job }) {
  const { file, state } = job;
  if (hasEnded(job)) return null;
  return (
    <>
      <p class="outcome muted small numbers">
        {!isDone(job) && <span>{bytesText(file.size)}</span>}
        <span class="progress-words">
          <ProgressWords job={job} />
        </span>
      </p>
      {isActive(job) && (
        <progress
          max={1}
          value={state.kind === 'uploading' ? state.share : undefined}
          aria-label={`Progress of ${file.name}`}
        />
      )}
    </>
  );
}

export function ProgressWords({ job: { format, options, state } }: { readonly job: Job }) {
  switch (state.kind) {
    case 'waiting':
      return <>Waiting</>;
    case 'uploading':
      return <>Uploading, {Math.floor(state.share * 100)}%</>;
    case 'compressing':
      return (
        <>
          {searchWords(options, format, facts.formats)} <Seconds since={state.at} />
        </>
      );
    case 'retrying':
      return (
        <>
          {state.trouble.title}. Next try in <Seconds until={state.at} />
        </>
      );
    default:
      return null;
  }
}
