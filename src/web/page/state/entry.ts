/** The ways to a key: a new account, a key that the visitor has, or a link that holds one. */
import { signal } from '@preact/signals';
import { findAccount, signUp } from '../api/account';
import { apiKey, freshKey, keepKey } from './credentials';
import { panel } from './panel';
import { resume } from './pause';
import type { Trouble } from '../words/trouble';

/** Opens an account for the address in the form. Returns the reason if there is none. */
export async function openAccount(fields: FormData, isKept: boolean): Promise<Trouble | undefined> {
  const response = await signUp(textOf(fields, 'email'), textOf(fields, 'code'));
  if (response.kind === 'refused') return response.trouble;
  freshKey.value = response.value.apiKey;
  takeKey(response.value.apiKey, isKept);
  return undefined;
}

/** Uses the key in the form. It is checked first, so that a typing error is reported here and not at the first image. */
export async function enterKey(fields: FormData, isKept: boolean): Promise<Trouble | undefined> {
  const key = textOf(fields, 'key');
  // No other text can be sent in a header, and none is a key.
  const response = await findAccount(/^[\x21-\x7e]+$/.test(key) ? key : 'malformed');
  if (response.kind === 'refused') return response.trouble;
  takeKey(key, isKept);
  return undefined;
}

function takeKey(key: string, isKept: boolean): void {
  keepKey(key, isKept);
  panel.value = undefined;
  resume();
}

/** A key that waits for an answer, because it would replace another one. */
export const linkedKey = signal<string | undefined>(undefined);
/** The reason why the key of a link does not work. */
export const linkTrouble = signal<Trouble | undefined>(undefined);

/**
 * A link that signs the page in: http://localhost:3000/#key=ics_… Browsers send no fragment to a server. The page removes it from
 * the address and from the history before it does anything else.
 */
export function followKeyLinks(): void {
  takeFragment();
  // A link to the page that is already open.
  addEventListener('hashchange', takeFragment);
}

function takeFragment(): void {
  const [, key] = /^#key=([\x21-\x7e]+)$/.exec(location.hash) ?? [];
  if (!key) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (apiKey.peek() === undefined) void acceptLink(key);
  else if (apiKey.peek() !== key) linkedKey.value = key;
}

/** Uses the key if it is valid. The device remembers it: the link may be gone when the tab is closed. */
export async function acceptLink(key: string): Promise<void> {
  linkedKey.value = undefined;
  const response = await findAccount(key);
  if (response.kind === 'ok') takeKey(key, true);
  else linkTrouble.value = response.trouble;
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
