import { facts } from '../../api/facts';
import { hasTrials, keyInUse } from '../../state/credentials';
import { hasEnded, jobs } from '../../state/jobs';
import { wrongOptions } from '../../state/options';
import { isOfTrial, openPanel } from '../../state/panel';
import { pause, probe, type Pause } from '../../state/pause';
import { AT_ONCE } from '../../state/queue';
import { countText } from '../../words/numbers';
import { Seconds } from '../parts/seconds';

/** Why nothing is being sent, once for all images, in the bar that stays on the screen. */
export function PauseLine() {
  const left = jobs.value.filter((job) => !hasEnded(job)).length;
  const held = jobs.value.filter(({ isHeld, state }) => isHeld && state.kind === 'waiting').length;
  const isKeyMissing = !keyInUse.value && !hasTrials && left > 0 && !pause.value;
  return (
    <>
      <div role="status">
        {held > 0 && (
          <p class="notice">
            {countText(held, 'image')} {held === 1 ? 'waits' : 'wait'}: correct or clear “
            {[...wrongOptions.value].join('” and “')}” in the options above.
          </p>
        )}
        {isKeyMissing && <KeyWanted left={left} text={SIGNING_UP} />}
      </div>
      <div role="alert">{pause.value && left > 0 && <Reason reason={pause.value} left={left} />}</div>
    </>
  );
}

const SIGNING_UP = facts.signup === 'closed' ? 'Enter a key to continue' : 'Sign up to continue';

function Reason({ reason, left }: { readonly reason: Pause; readonly left: number }) {
  switch (reason.kind) {
    case 'key-refused':
      return (
        <KeyWanted left={left} text={isOfTrial(reason.trouble.code) ? SIGNING_UP : 'Another key is needed'} />
      );
    case 'rate-limited':
      return <Limited reason={reason} left={left} />;
    case 'unreachable':
      return (
        <div class="notice">
          <p>
            <strong>{reason.trouble.title}.</strong> {reason.trouble.text}
          </p>
          <button type="button" onClick={() => void probe()}>
            Try now
          </button>
        </div>
      );
    case 'trial-taken':
      return null;
  }
}

function KeyWanted({ left, text }: { readonly left: number; readonly text: string }) {
  const isSigningUp = text === 'Sign up to continue';
  return (
    <div class="notice">
      <p>
        <strong>{countText(left, 'image')} left</strong> · {text}
      </p>
      <button type="button" class="primary" onClick={() => openPanel(isSigningUp ? 'sign-up' : 'paste')}>
        {isSigningUp ? 'Sign up' : 'Enter a key'}
      </button>
    </div>
  );
}

interface LimitedProps {
  readonly reason: Extract<Pause, { kind: 'rate-limited' }>;
  readonly left: number;
}

function Limited({ reason: { trouble, until }, left }: LimitedProps) {
  const isOwnLimit = trouble.code === 'rate_limited' && keyInUse.value !== undefined;
  const next = Math.min(AT_ONCE, left);
  return (
    <div class="notice">
      <p>
        <strong>
          {isOwnLimit ? `${countText(facts.imagesPerMinute, 'image')} a minute.` : trouble.text}
        </strong>{' '}
        <span class="visually-hidden">Continues automatically.</span>
        <Seconds until={until} before={next > 1 ? `The next ${next} start in ` : 'The next one starts in '} />
      </p>
    </div>
  );
}
