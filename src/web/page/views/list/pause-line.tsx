import { facts } from '../../api/facts';
import { keyInUse } from '../../state/credentials';
import { hasEnded, jobs } from '../../state/jobs';
import { wrongOptions } from '../../state/options';
import { pause, probe, type Pause } from '../../state/pause';
import { AT_ONCE } from '../../state/queue';
import { countText } from '../../words/numbers';
import { Seconds, TroubleText } from '../parts/text';

/** The reason for a pause, once for all images, in the bar that stays on the screen. */
export function PauseLine() {
  const left = jobs.value.filter((job) => !hasEnded(job)).length;
  const held = jobs.value.filter(({ isHeld, state }) => isHeld && state.kind === 'waiting').length;
  return (
    <>
      <div role="status">
        {held > 0 && (
          <p class="notice row wraps between">
            {countText(held, 'image')} {held === 1 ? 'waits' : 'wait'}: correct or clear “
            {[...wrongOptions.value].join('” and “')}” in the options above.
          </p>
        )}
      </div>
      <div role="alert">
        {pause.value && (left > 0 || pause.value.kind === 'unreachable') && (
          <Reason reason={pause.value} left={left} />
        )}
      </div>
    </>
  );
}

function Reason({ reason, left }: { readonly reason: Pause; readonly left: number }) {
  switch (reason.kind) {
    case 'rate-limited':
      return <Limited reason={reason} left={left} />;
    case 'unreachable':
      return (
        <div class="notice row wraps between">
          <p>
            <TroubleText trouble={reason.trouble} />
          </p>
          <button onClick={() => void probe()}>Try now</button>
        </div>
      );
    // The banner asks for a key.
    case 'key-refused':
    case 'trial-taken':
      return null;
  }
}

interface LimitedProps {
  readonly reason: Extract<Pause, { kind: 'rate-limited' }>;
  readonly left: number;
}

function Limited({ reason: { trouble, until }, left }: LimitedProps) {
  const isOwnLimit = trouble.code === 'rate_limited' && keyInUse.value !== undefined;
  const next = Math.min(AT_ONCE, left);
  return (
    <div class="notice row wraps between">
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
