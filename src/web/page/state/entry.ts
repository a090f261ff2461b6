/** The ways to a key: a new account, a key that the visitor has, or a link that holds one. */
import { findAccount, signUp } from '../api/account';
import { freshKey, keepKey } from './credentials';
import { panel } from './panel';
import { resume } from './pause';
import type { Trouble } from '../words/trouble';

/** Opens an account for the address in the form. Returns why there is none. */
export async function openAccount(fields: FormData, isKept: boolean): Promise<Trouble | undefined> {
  const response = await signUp(textOf(fields, 'email'), textOf(fields, 'code'));
  if (response.kind === 'refused') return response.trouble;
  freshKey.value = response.value;
  takeKey(response.value, isKept);
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

export function takeKey(key: string, isKept: boolean): void {
  keepKey(key, isKept);
  panel.value = undefined;
  resume();
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
