import { signal, useSignal } from '@preact/signals';
import type { InputHTMLAttributes, TargetedEvent, TargetedSubmitEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { facts } from '../../api/facts';
import { hasEnded, jobs } from '../../state/jobs';
import { hasTrials, keyInUse } from '../../state/credentials';
import { enterKey, openAccount } from '../../state/entry';
import { openPanel, panel, shownPanel, timesAsked, type Panel } from '../../state/panel';
import { pause } from '../../state/pause';
import { countText } from '../../words/numbers';
import { INCOMPLETE_ADDRESS, type Trouble } from '../../words/trouble';
import { focusFileInput } from '../parts/focus';
import { IconButton } from '../parts/icons';
import { TroubleText } from '../parts/text';

/** Whether this device keeps the key. By default it keeps the key of a new account, which is stored nowhere else. */
const isRemembered = { 'sign-up': signal(true), paste: signal(false) };

/** One line for signing up, or for pasting a key. */
export function KeyBanner() {
  const shown = shownPanel.value;
  return shown ? <KeyForm key={shown} shown={shown} /> : null;
}

function KeyForm({ shown }: { readonly shown: Panel }) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, trouble, submit, refuse } = useEntry(shown);
  const id = useId();
  // The button that opened it is gone, or far below. Before the next key press, so that none is lost.
  useLayoutEffect(() => {
    if (panel.peek()) form.current?.querySelector('input')?.focus();
  }, [timesAsked.value]);

  const isRemembering = isRemembered[shown];
  return (
    <form
      ref={form}
      class="notice key-banner row wraps"
      aria-label="Account"
      aria-describedby={trouble.value ? id : undefined}
      onSubmit={(event) => void submit(event)}
    >
      <Reason shown={shown} />
      {shown === 'paste' ? (
        <Field name="key" label="API key" {...KEY_HABITS} />
      ) : (
        <AccountFields onInvalid={refuse} />
      )}
      <label class="check row less">
        <input
          type="checkbox"
          checked={isRemembering}
          onChange={(event) => (isRemembering.value = event.currentTarget.checked)}
        />
        Remember on this device
      </label>
      <button type="submit" class="primary" aria-disabled={isBusy.value}>
        {isBusy.value ? 'One moment …' : shown === 'paste' ? 'Use this key' : 'Sign up'}
      </button>
      <OtherWays shown={shown} />
      <div role="alert">
        {trouble.value && (
          <p class="trouble" id={id}>
            <TroubleText trouble={trouble.value} /> {jobs.value.length > 0 && 'Your list is kept.'}
          </p>
        )}
      </div>
    </form>
  );
}

/** Sends the form, and reports errors. */
function useEntry(shown: Panel) {
  const isBusy = useSignal(false);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy.value) return;
    const fields = new FormData(event.currentTarget);
    isBusy.value = true;
    trouble.value = undefined;
    trouble.value = await (shown === 'paste' ? enterKey : openAccount)(fields, isRemembered[shown].value);
    isBusy.value = false;
    // The form disappears. A new key takes the focus itself.
    if (!trouble.value && shown === 'paste') focusFileInput();
  };
  const refuse = (event: TargetedEvent<HTMLInputElement>) => {
    // The browser's own message disappears too soon.
    event.preventDefault();
    event.currentTarget.focus();
    trouble.value = INCOMPLETE_ADDRESS;
  };
  return { isBusy, trouble, submit, refuse };
}

function refusal(): Trouble | undefined {
  return pause.value?.kind === 'key-refused' ? pause.value.trouble : undefined;
}

/** The reason for asking, and the number of images that wait for a key. */
function Reason({ shown }: { readonly shown: Panel }) {
  const trouble = refusal();
  const left = jobs.value.filter((job) => !hasEnded(job)).length;
  return (
    <p class="less" role={trouble ? 'alert' : undefined}>
      {left > 0 && <strong>{countText(left, 'image')} left.</strong>}{' '}
      {trouble
        ? `${trouble.title}. ${trouble.text}`
        : INVITATIONS[facts.signup === 'closed' ? 'closed' : shown]}
    </p>
  );
}

/** The other form, and a button to close it if no key is needed. */
function OtherWays({ shown }: { readonly shown: Panel }) {
  const close = () => {
    panel.value = undefined;
    focusFileInput();
  };
  return (
    <>
      {facts.signup !== 'closed' && (
        <button
          type="button"
          class="quiet"
          onClick={() => openPanel(shown === 'paste' ? 'sign-up' : 'paste')}
        >
          {shown === 'paste' ? 'I have no key' : 'I have a key'}
        </button>
      )}
      {!refusal() && (keyInUse.value !== undefined || hasTrials) && (
        <IconButton icon="remove" label="Close" class="quiet" onClick={close} />
      )}
    </>
  );
}

const INVITATIONS: Readonly<Record<Panel | 'closed', string>> = {
  'sign-up': 'An account needs only an e-mail address.',
  paste: 'Lost it? Ask the operator of this service for a new key.',
  closed: 'The operator of this service creates the accounts. Ask there for a key.',
};

const KEY_HABITS = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

interface AccountFieldsProps {
  readonly onInvalid: (event: TargetedEvent<HTMLInputElement>) => void;
}

function AccountFields({ onInvalid }: AccountFieldsProps) {
  return (
    <>
      <Field type="email" name="email" label="E-mail address" autocomplete="email" onInvalid={onInvalid} />
    </>
  );
}

function Field({ label, ...more }: InputHTMLAttributes & { readonly label: string }) {
  return <input type="text" aria-label={label} placeholder={label} required {...more} />;
}
