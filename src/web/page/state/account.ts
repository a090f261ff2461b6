import { effect, signal } from '@preact/signals';
import { findAccount, issueKey, signUp, type Account } from '../api/account';
import type { Trouble } from '../words/trouble';
import { apiKey, keepKey } from './credentials';
import { pause, resume } from './pause';

export type AccountView = 'sign-up' | 'sign-in' | 'account';

export const account = signal<Account | undefined>(undefined);
export const accountView = signal<AccountView | undefined>(undefined);
export const accountTrouble = signal<Trouble | undefined>(undefined);
/** A newly created key, shown only once. */
export const freshKey = signal<string | undefined>(undefined);
/** The key of a link, to be confirmed because it would replace another one. */
export const linkedKey = signal<string | undefined>(undefined);

export function showAccount(view: AccountView | undefined) {
  accountView.value = view;
  accountTrouble.value = freshKey.value = linkedKey.value = undefined;
}

export async function createAccount(email: string, isRemembered: boolean): Promise<void> {
  const { value, trouble } = await signUp(email);
  if (trouble) return void (accountTrouble.value = trouble);
  takeKey(value.apiKey, isRemembered);
  showAccount('account');
  freshKey.value = value.apiKey;
}

/** The key is checked first, so that a typing error is reported here and not at the first image. */
export async function signIn(key: string, isRemembered: boolean): Promise<void> {
  // No other text can be sent in a header, and none is a key.
  const { trouble } = await findAccount(/^[\x21-\x7e]+$/.test(key) ? key : 'malformed');
  if (trouble) return void (accountTrouble.value = trouble);
  takeKey(key, isRemembered);
  showAccount(undefined);
}

export async function makeKey(): Promise<void> {
  const { value, trouble } = await issueKey(apiKey.peek() ?? '');
  if (trouble) accountTrouble.value = trouble;
  else freshKey.value = value.apiKey;
}

function takeKey(key: string, isRemembered: boolean) {
  keepKey(key, isRemembered);
  resume();
}

export function followAccount() {
  takeFragment();
  addEventListener('hashchange', takeFragment);
  effect(() => {
    const key = apiKey.value;
    account.value = undefined;
    if (!key) return;
    void findAccount(key).then(({ value, trouble }) => {
      if (apiKey.peek() !== key) return;
      account.value = value;
      if (trouble && [401, 403].includes(trouble.status)) pause.value = { kind: 'key-refused', trouble };
    });
  });
}

/** http://localhost:3000/#key=ics_… Browsers send no fragment. The device remembers the key: the link may be gone later. */
function takeFragment() {
  const [, key] = /^#key=([\x21-\x7e]+)$/.exec(location.hash) ?? [];
  if (!key) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (apiKey.peek() === key) return;
  if (apiKey.peek() === undefined) {
    void signIn(key, true).then(() => {
      if (accountTrouble.peek()) accountView.value = 'sign-in';
    });
  } else {
    showAccount('sign-in');
    linkedKey.value = key;
  }
}
