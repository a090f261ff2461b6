import { pause } from '../state/queue';
import { apiKey } from '../state/credentials';
import type { Job, JobState } from '../state/jobs';
import { Countdown } from './countdown';

/** How far an image is, in words and as a bar; nothing once it has ended. */
export function JobProgress({ job: { file, state } }: { readonly job: Job }) {
  if (state.kind === 'done' || state.kind === 'failed') return null;
  const isMoving = state.kind === 'uploading' || state.kind === 'compressing';
  return (
    <div class="progress">
      {isMoving && (
        <progress
          max={1}
          {...(state.kind === 'uploading' ? { value: state.share } : {})}
          aria-label={`Progress of ${file.name}`}
        />
      )}
      <span class="progress-words">
        {words(state)}
        {state.kind === 'retrying' && <Countdown until={state.at} />}
      </span>
    </div>
  );
}

function words(state: Exclude<JobState, { kind: 'done' | 'failed' }>): string {
  switch (state.kind) {
    case 'checking':
      return 'Reading …';
    case 'waiting':
      return waitingWords();
    case 'uploading':
      return `Uploading, ${Math.floor(state.share * 100)} %`;
    case 'compressing':
      return 'Compressing …';
    case 'retrying':
      return `${state.trouble.title}. Next try in`;
  }
}

function waitingWords(): string {
  if (!apiKey.value) return 'Waits for a key';
  switch (pause.value?.kind) {
    case 'key-refused':
      return 'Waits for another key';
    case 'rate-limited':
      return 'Waits for the limit';
    case 'unreachable':
      return 'Waits for the service';
    case undefined:
      return 'Waiting';
  }
}
