import { useSignal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { bytesText } from '../../../contract/units';
import { listKeys, revokeKey, usageThisMonth, type ListedKey, type Usage } from '../api/account';
import { facts } from '../api/facts';
import {
  account,
  accountTrouble,
  accountView,
  createAccount,
  freshKey,
  linkedKey,
  makeKey,
  showAccount,
  signIn,
} from '../state/account';
import { apiKey, isKeyRemembered } from '../state/credentials';
import { signOut } from '../state/removals';
import { hasUnsavedResults } from '../state/summary';
import { countText, dateText } from '../words/numbers';
import { INCOMPLETE_ADDRESS } from '../words/trouble';
import { Dialog } from './parts/dialog';
import { ACCOUNT_BUTTON } from './parts/focus';
import { IconButton } from './parts/icons';
import { TroubleText } from './parts/text';

const close = () => showAccount(undefined);

export function AccountDialog() {
  const view = accountView.value;
  if (!view) return null;
  const trouble = accountTrouble.value;
  const titles = {
    'sign-up': 'Sign up',
    'sign-in': 'Sign in',
    account: account.value?.email ?? 'Your account',
  };
  return (
    <Dialog class="account-view card" titleId="account-title" fallbackId={ACCOUNT_BUTTON} onClose={close}>
      <header class="row between">
        <h2 id="account-title" class="clipped">
          {titles[view]}
        </h2>
        <IconButton icon="remove" label="Close" class="quiet" onClick={close} />
      </header>
      {view === 'sign-up' && <SignUp key={view} />}
      {view === 'sign-in' && <SignIn key={view} />}
      {view === 'account' && <Keys />}
      <div role="alert">
        {trouble && (
          <p class="trouble" id="account-trouble">
            <TroubleText trouble={trouble} />
          </p>
        )}
      </div>
    </Dialog>
  );
}

function SignUp() {
  const rate = facts.imagesPerMinute > 0 ? countText(facts.imagesPerMinute, 'image') : 'any number of images';
  return (
    <EntryForm
      action="Sign up"
      isKept
      submit={createAccount}
      field={{ label: 'E-mail address', type: 'email', autocomplete: 'email' }}
      other={['sign-in', 'Sign in instead']}
    >
      Your address is all it takes. You get an API key for {rate} a minute, here and in your own programs.
    </EntryForm>
  );
}

function SignIn() {
  const linked = linkedKey.value;
  return (
    <EntryForm
      action="Sign in"
      isKept={linked !== undefined}
      submit={signIn}
      field={{ label: 'API key', type: 'text', autocomplete: 'off', spellcheck: false, defaultValue: linked }}
      other={facts.signup === 'closed' ? undefined : ['sign-up', 'Sign up instead']}
    >
      {linked
        ? `The link holds another key than the one in use, ${apiKey.value?.slice(0, 10)}…. Your list stays.`
        : 'With the API key that you got when you signed up. Lost it? Ask the operator of this service.'}
    </EntryForm>
  );
}

interface EntryFormProps {
  readonly action: string;
  /** Whether the device keeps the key unless the visitor objects: that of a new account is stored nowhere else. */
  readonly isKept: boolean;
  readonly submit: (text: string, isRemembered: boolean) => Promise<void>;
  readonly field: InputHTMLAttributes & { readonly label: string };
  readonly other: readonly [view: 'sign-up' | 'sign-in', text: string] | undefined;
  readonly children: ComponentChildren;
}

function EntryForm({ action, isKept, submit, field: { label, ...field }, other, children }: EntryFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const isRemembered = useSignal(isKept);
  const isBusy = useSignal(false);
  // Of the other form, before the next key press. The dialog itself gives the focus as it opens.
  useLayoutEffect(() => input.current?.focus(), []);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.value || !input.current) return;
    isBusy.value = true;
    accountTrouble.value = undefined;
    await submit(input.current.value.trim(), isRemembered.value);
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void send(event)}>
      <p class="hint">{children}</p>
      <label class="field">
        {label}
        <input
          ref={input}
          autofocus
          required
          aria-describedby={accountTrouble.value ? 'account-trouble' : undefined}
          onInvalid={(event) => {
            // The browser's own message disappears too soon.
            event.preventDefault();
            if (field.type === 'email') accountTrouble.value = INCOMPLETE_ADDRESS;
          }}
          {...field}
        />
      </label>
      <label class="check row less">
        <input
          type="checkbox"
          checked={isRemembered}
          onChange={(event) => (isRemembered.value = event.currentTarget.checked)}
        />
        Remember the key on this device
      </label>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={isBusy.value}>
          {isBusy.value ? 'One moment …' : action}
        </button>
        {other && (
          <button type="button" class="quiet" onClick={() => showAccount(other[0])}>
            {other[1]}
          </button>
        )}
      </div>
    </form>
  );
}

function Keys() {
  const inUse = apiKey.value ?? '';
  const keys = useSignal<readonly ListedKey[]>([]);
  const usage = useSignal<Usage | undefined>(undefined);
  const load = async () => {
    const { value, trouble } = await listKeys(inUse);
    if (trouble) accountTrouble.value = trouble;
    else keys.value = value;
    const used = await usageThisMonth(inUse);
    if (used.value) usage.value = used.value;
  };
  const revoke = async (keyId: string) => {
    const { trouble } = await revokeKey(inUse, keyId);
    if (trouble) accountTrouble.value = trouble;
    return load();
  };
  useEffect(() => void load(), [inUse, freshKey.value]);
  const leave = () => {
    close();
    signOut();
  };
  return (
    <>
      {freshKey.value && <FreshKey key={freshKey.value} text={freshKey.value} />}
      {usage.value && (
        <p class="hint numbers">
          This month: {countText(usage.value.images, 'image')}, {bytesText(usage.value.bytesSaved)} saved
        </p>
      )}
      <ul class="keys ruled less" aria-label="API keys">
        {keys.value.map(({ keyId, displayPrefix, createdAt }) => (
          <li key={keyId} class="row">
            <span class="grow">
              <code>{displayPrefix}…</code> <span class="hint clipped">{dateText(createdAt)}</span>
            </span>
            {inUse.startsWith(displayPrefix) ? (
              <span class="hint">in use</span>
            ) : (
              <SureButton
                text={`Revoke ${displayPrefix}`}
                short="Revoke"
                sure="Revoke for good"
                onSure={() => void revoke(keyId)}
              />
            )}
          </li>
        ))}
      </ul>
      <div class="actions between">
        <button onClick={() => void makeKey()}>New key</button>
        {hasUnsavedResults.value ? (
          <SureButton text="Sign out" sure="Sign out without the results" onSure={leave} />
        ) : (
          <button onClick={leave}>Sign out</button>
        )}
      </div>
    </>
  );
}

interface SureButtonProps {
  readonly text: string;
  readonly short?: string;
  readonly sure: string;
  readonly onSure: () => void;
}

function SureButton({ text, short = text, sure, onSure }: SureButtonProps) {
  const isSure = useSignal(false);
  return (
    <button
      class={isSure.value ? 'wrong' : undefined}
      aria-label={isSure.value ? undefined : text}
      onClick={() => (isSure.value ? onSure() : (isSure.value = true))}
      onBlur={() => (isSure.value = false)}
    >
      {isSure.value ? sure : short}
    </button>
  );
}

function FreshKey({ text }: { readonly text: string }) {
  const field = useRef<HTMLInputElement>(null);
  const note = useSignal('');
  useLayoutEffect(() => field.current?.select(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      note.value = 'Copied.';
    } catch {
      // Browsers allow it only over HTTPS, or on this machine.
      field.current?.select();
      note.value = 'The key is selected: copy it with Ctrl+C or Cmd+C.';
    }
  };
  const kept = isKeyRemembered.value
    ? 'This device remembers it until you sign out.'
    : 'This page forgets it when the tab is closed.';
  return (
    <section class="notice stack less" aria-label="New API key">
      <p>
        <strong>Your new API key is shown only once.</strong>{' '}
        {text === apiKey.value ? kept : 'This page continues with the one in use.'}
      </p>
      <div class="row">
        <label class="field grow">
          <span class="visually-hidden">API key</span>
          <input ref={field} readOnly value={text} autofocus />
        </label>
        <button class="primary" onClick={() => void copy()}>
          Copy
        </button>
      </div>
      <span role="status" class="hint">
        {note}
      </span>
    </section>
  );
}
