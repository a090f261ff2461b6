import { useLayoutEffect, useRef } from 'preact/hooks';
import { facts } from '../../api/facts';
import { keyInUse, hasTrials } from '../../state/credentials';
import { isOfTrial, panel, shownPanel, timesAsked, type Panel } from '../../state/panel';
import { pause } from '../../state/pause';
import { focusFileInput } from '../parts/focus';
import { Icon } from '../parts/icons';
import { KeyTrouble } from './key-form';
import { PasteKeyForm } from './paste-key-form';
import { SignUpForm } from './sign-up-form';

/** The way in: sign up, or paste a key. */
export function KeyPanel() {
  const shown = shownPanel.value ?? 'paste';
  const refusal = pause.value?.kind === 'key-refused' ? pause.value.trouble : undefined;
  const section = useRef<HTMLElement>(null);
  // The button that opened the panel is gone, or far below. At once, so that no key that follows is lost.
  useLayoutEffect(() => {
    if (panel.peek()) section.current?.querySelector('input')?.focus();
  }, [timesAsked.value]);
  const close = () => {
    panel.value = undefined;
    focusFileInput();
  };
  const isOptional = !refusal && (keyInUse.value !== undefined || hasTrials);
  return (
    <section ref={section} class="panel" aria-labelledby="key-panel-title">
      <div class="panel-head">
        <h2 id="key-panel-title">{refusal ? refusedTitle(refusal.code) : TITLES[shown]}</h2>
        {isOptional && (
          <button type="button" class="quiet icon-only" aria-label="Close" onClick={close}>
            <Icon name="remove" />
          </button>
        )}
      </div>
      {refusal && (
        <p class={isOfTrial(refusal.code) ? 'notice' : 'trouble'} role="alert">
          <span>
            <KeyTrouble trouble={refusal} />
          </span>
        </p>
      )}
      {facts.signup === 'closed' ? (
        <p>The operator of this service creates the accounts. Ask there for a key.</p>
      ) : (
        <>
          {!refusal && shown === 'sign-up' && (
            <p>All you need is an e-mail address. You get a key for this page and for your own programs.</p>
          )}
          <div class="choices" role="group" aria-label="How to get in">
            <button
              type="button"
              aria-pressed={shown === 'sign-up'}
              onClick={() => (panel.value = 'sign-up')}
            >
              Sign up
            </button>
            <button type="button" aria-pressed={shown === 'paste'} onClick={() => (panel.value = 'paste')}>
              I have a key
            </button>
          </div>
        </>
      )}
      {shown === 'paste' ? <PasteKeyForm /> : <SignUpForm />}
    </section>
  );
}

const TITLES: Readonly<Record<Panel, string>> = { 'sign-up': 'Sign up', paste: 'Use your key' };

function refusedTitle(code: string | undefined): string {
  return isOfTrial(code) ? 'Sign up to continue' : 'Another key is needed';
}
