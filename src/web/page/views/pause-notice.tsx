import { hasTrials, keyInUse } from '../state/credentials';
import { jobs } from '../state/jobs';
import { wrongOptions } from '../state/options';
import { pause, probe } from '../state/queue';
import { countText } from '../words/format';
import { Countdown } from './countdown';

/** Why nothing is being sent, once for all images; a refused key is told where the next one is entered. */
export function PauseNotice() {
  const reason = pause.value;
  const waiting = jobs.value.filter(({ state }) => state.kind === 'waiting').length;
  const held = jobs.value.filter(({ isHeld, state }) => isHeld && state.kind === 'waiting').length;
  const isKeyMissing = !keyInUse.value && !hasTrials && waiting > 0;
  return (
    <>
      <div role="status">
        {held > 0 && (
          <p class="notice">
            {countText(held, 'image')} {held === 1 ? 'waits' : 'wait'}: correct or empty “
            {[...wrongOptions.value].join('” and “')}” in the options above.
          </p>
        )}
        {isKeyMissing && (
          <p class="notice">
            {countText(waiting, 'image')} added. Sign up or paste a key above, and the work starts by itself.
          </p>
        )}
      </div>
      <div role="alert">
        {(reason?.kind === 'rate-limited' || reason?.kind === 'unreachable') && (
          <div class="notice">
            <p>
              <strong>{reason.trouble.title}.</strong> {reason.trouble.text}
            </p>
            {reason.kind === 'rate-limited' ? (
              <>
                <span class="visually-hidden">Continues by itself.</span>
                <Countdown until={reason.until} before="Continues by itself in " />
              </>
            ) : (
              <button type="button" onClick={() => void probe()}>
                Try now
              </button>
            )}
          </div>
        )}
      </div>
    </>
  );
}
