import { bytesText } from '../../../../contract/units';
import { pause } from '../../state/pause';
import { hasTrials, keyInUse } from '../../state/credentials';
import { isOfTrial } from '../../state/panel';
import type { Job, JobState } from '../../state/jobs';
import { Countdown } from '../parts/countdown';

/** The progress of an image, in words and as a bar; nothing once it has ended. */
export function JobProgress({ job: { file, isHeld, state } }: { readonly job: Job }) {
  if (state.kind === 'done' || state.kind === 'failed') return null;
  const isMoving = state.kind === 'uploading' || state.kind === 'compressing';
  return (
    <>
      <p class="outcome">
        <span>{bytesText(file.size)}</span>
        <span class="progress-words">
          {isHeld && state.kind === 'waiting' ? 'Waiting for a valid option' : words(state)}
          {state.kind === 'retrying' && <Countdown until={state.at} />}
        </span>
      </p>
      {isMoving && (
        <progress
          max={1}
          {...(state.kind === 'uploading' ? { value: state.share } : {})}
          aria-label={`Progress of ${file.name}`}
        />
      )}
    </>
  );
}

function words(state: Exclude<JobState, { kind: 'done' | 'failed' }>): string {
  switch (state.kind) {
    case 'checking':
      return 'Reading …';
    case 'waiting':
      return waitingWords();
    case 'uploading':
      return `Uploading, ${Math.floor(state.share * 100)}%`;
    case 'compressing':
      return 'Compressing …';
    case 'retrying':
      return `${state.trouble.title}. Next try in `;
  }
}

function waitingWords(): string {
  if (!keyInUse.value && !hasTrials) return 'Waiting for a key';
  switch (pause.value?.kind) {
    case 'key-refused':
      return isOfTrial(pause.value.trouble.code) ? 'Waiting for an account' : 'Waiting for another key';
    case 'rate-limited':
      return 'Paused: limit reached';
    case 'trial-taken':
      return 'Waiting for the last image of the trial';
    case 'unreachable':
      return 'Waiting for the service';
    case undefined:
      return 'Waiting';
  }
}
