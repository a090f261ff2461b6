import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { facts } from '../../api/facts';
import { freshKey, isKeyRemembered, keyInUse, trial } from '../../state/credentials';
import { openPanel, shownPanel } from '../../state/panel';
import { summary } from '../../state/summary';
import { focusFileInput } from '../parts/focus';
import { KeyBanner } from './key-banner';

/** The form for a key, and a new key: within the bar of the list if there is one, so that the list hardly moves. */
export function Account() {
  return (
    <>
      <KeyBanner />
      {freshKey.value && <FreshKey apiKey={freshKey.value} />}
    </>
  );
}

/** A new key, shown only once. */
function FreshKey({ apiKey }: { readonly apiKey: string }) {
  const field = useRef<HTMLInputElement>(null);
  const note = useSignal('');
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(apiKey);
      note.value = 'Copied.';
    } catch {
      // Browsers allow it only over HTTPS, or on this machine.
      field.current?.select();
      note.value = 'The key is selected: copy it with Ctrl+C or Cmd+C.';
    }
  };
  const close = () => {
    freshKey.value = undefined;
    focusFileInput();
  };
  return (
    <section class="notice fresh-key row wraps" aria-labelledby="fresh-key-title">
      <div id="fresh-key-note" class="less">
        <h2 id="fresh-key-title">Your API key</h2> is shown only once.{' '}
        {apiKey !== keyInUse.value
          ? 'This page goes on with the one that it has.'
          : isKeyRemembered.value
            ? 'This device remembers it until you sign out.'
            : 'This page forgets it when the tab is closed.'}
      </div>
      <input ref={field} readOnly value={apiKey} aria-label="API key" aria-describedby="fresh-key-note" />
      <button class="primary" onClick={() => void copy()}>
        Copy
      </button>
      <button onClick={close}>Done</button>
      <span role="status" class="hint">
        {note}
      </span>
    </section>
  );
}

/** An account is offered when no more trial images than this are left. */
const FEW_LEFT = 3;

/** Offers an account shortly before the trial ends. */
export function TrialOffer() {
  const { isFinished, done } = summary.value;
  if (!trial.value || !isFinished || done === 0 || shownPanel.value) return null;
  const { imagesLeft, images } = trial.value;
  if (imagesLeft > FEW_LEFT) return null;
  const rate =
    facts.imagesPerMinute > 0 ? `${facts.imagesPerMinute} images a minute` : 'any number of images';
  return (
    <section class="offer row wraps" aria-labelledby="offer-title">
      <div>
        <h2 id="offer-title">Like the result?</h2>
        <p class="less">
          {imagesLeft} of {images} trial images are left. An account needs only an e-mail address and gives
          you {rate}, here and from your own programs.
        </p>
      </div>
      <button onClick={() => openPanel('sign-up')}>Sign up</button>
    </section>
  );
}
