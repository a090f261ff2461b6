import { facts } from '../../api/facts';
import { showAccount } from '../../state/account';
import { hasTrials, keyInUse } from '../../state/credentials';
import { hasEnded, jobs } from '../../state/jobs';
import { pause, tryNow, type Pause } from '../../state/pause';
import { AT_ONCE } from '../../state/queue';
import { countText } from '../../words/numbers';
import type { Trouble } from '../../words/trouble';
import { Seconds, TroubleText } from '../parts/text';

export function Notice() {
  const left = jobs.value.filter((job) => !hasEnded(job)).length;
  return <div role="alert">{pause.value ? <Reason reason={pause.value} left={left} /> : <KeyNeeded />}</div>;
}

function Reason({ reason, left }: { readonly reason: Pause; readonly left: number }) {
  switch (reason.kind) {
    case 'waiting':
      return left > 0 ? <Waiting {...reason} left={left} /> : null;
    case 'unreachable':
    case 'given-up':
      return (
        <div class="notice row wraps between">
          <p>
            <TroubleText trouble={reason.trouble} />
          </p>
          <button onClick={tryNow}>Try now</button>
        </div>
      );
    case 'key-refused':
      return <KeyRefused trouble={reason.trouble} left={left} />;
  }
}

function Waiting({ trouble, until, left }: Extract<Pause, { kind: 'waiting' }> & { readonly left: number }) {
  const next = Math.min(AT_ONCE, left);
  const isOwnLimit = trouble.code === 'rate_limited' && keyInUse.value !== undefined;
  const limit = `${countText(facts.imagesPerMinute, 'image')} a minute`;
  const title = isOwnLimit ? limit : trouble.title;
  return (
    <p class="notice">
      <strong>{title}.</strong> <span class="visually-hidden">Continues automatically.</span>
      <Seconds until={until} before={next > 1 ? `The next ${next} start in ` : 'The next one starts in '} />
    </p>
  );
}

function KeyRefused({ trouble, left }: { readonly trouble: Trouble; readonly left: number }) {
  const isTrial = trouble.code === 'trial_used_up';
  return (
    <div class="notice row wraps between">
      <p>
        {isTrial ? (
          <>
            <strong>You have used your {countText(facts.trialImages, 'free image')}.</strong> Sign up with
            your e-mail address to compress{' '}
            {left > 0 ? `the ${countText(left, 'image')} still waiting` : 'more'}.
          </>
        ) : (
          <TroubleText trouble={trouble} />
        )}
      </p>
      <EntryButtons isForTrial={isTrial} />
    </div>
  );
}

function KeyNeeded() {
  if (keyInUse.value !== undefined || hasTrials) return null;
  return (
    <div class="notice row wraps between">
      <p>
        {facts.signup === 'closed'
          ? 'To compress images here, you need an API key from the operator of this service.'
          : 'To compress images here, sign up with your e-mail address.'}
      </p>
      <EntryButtons isForTrial />
    </div>
  );
}

function EntryButtons({ isForTrial }: { readonly isForTrial: boolean }) {
  const canSignUp = facts.signup !== 'closed';
  return (
    <span class="actions">
      {canSignUp && isForTrial && (
        <button class="primary" onClick={() => showAccount('sign-up')}>
          Sign up
        </button>
      )}
      <button onClick={() => showAccount('sign-in')}>Sign in</button>
    </span>
  );
}
