import { useSignal } from '@preact/signals';
import { facts } from '../api/facts';
import { apiKey } from '../state/credentials';
import { pause } from '../state/queue';
import { PasteKeyForm } from './paste-key-form';
import { SignUpForm } from './sign-up-form';

/** The way in: sign up, or paste a key. */
export function KeyPanel() {
  const isClosed = facts.signup === 'closed';
  // Whoever had a key has an account: signing up again is the second thought.
  const hasKey = useSignal(isClosed || apiKey.value !== undefined);
  const refusal = pause.value?.kind === 'key-refused' ? pause.value.trouble : undefined;
  return (
    <section class="panel" aria-labelledby="key-panel-title">
      <h2 id="key-panel-title">{refusal ? 'Another key is needed' : 'First, a key'}</h2>
      {refusal && (
        <p class="trouble" role="alert">
          <strong>{refusal.title}.</strong> {refusal.text}
        </p>
      )}
      {!refusal && !isClosed && (
        <p>An e-mail address is all it takes. Your images start as soon as there is a key.</p>
      )}
      {isClosed ? (
        <p>Accounts of this service are opened by its operator only: ask there for a key.</p>
      ) : (
        <div class="choices" role="group" aria-label="How to get in">
          <button type="button" aria-pressed={!hasKey.value} onClick={() => (hasKey.value = false)}>
            Sign up
          </button>
          <button type="button" aria-pressed={hasKey.value} onClick={() => (hasKey.value = true)}>
            I have a key
          </button>
        </div>
      )}
      {hasKey.value ? <PasteKeyForm /> : <SignUpForm />}
    </section>
  );
}
