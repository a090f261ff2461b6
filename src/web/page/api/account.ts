import type { AccountBody } from '../../../accounts/http/account-schemas';
import { troubleFrom, UNREACHABLE, type Trouble } from '../words/trouble';

export type Account = AccountBody<'Account'>;
type IssuedKey = AccountBody<'IssuedKey'>;
type KeyPage = AccountBody<'KeyList'>;
export type ListedKey = KeyPage['keys'][number];

export type Result<T> =
  { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly trouble: Trouble };

export function signUp(email: string): Promise<Result<IssuedKey>> {
  return ask('/api/v1/accounts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  });
}

export async function listKeys(apiKey: string): Promise<Result<ListedKey[]>> {
  const keys: ListedKey[] = [];
  for (let after: string | null = ''; after !== null;) {
    const response: Result<KeyPage> = await ask(`${KEYS}${after && `?after=${after}`}`, withKey(apiKey));
    if (response.kind === 'refused') return response;
    keys.push(...response.value.keys.filter(({ revokedAt }) => revokedAt === null));
    after = response.value.next;
  }
  return { kind: 'ok', value: keys };
}

const KEYS = '/api/v1/account/keys';

export function issueKey(apiKey: string): Promise<Result<IssuedKey>> {
  return ask(KEYS, withKey(apiKey, 'POST'));
}

export function revokeKey(apiKey: string, keyId: string): Promise<Result<unknown>> {
  return ask(`${KEYS}/${keyId}`, withKey(apiKey, 'DELETE'));
}

function withKey(apiKey: string, method = 'GET'): RequestInit {
  return { method, headers: { 'X-API-Key': apiKey } };
}

export function openTrial(): Promise<Result<AccountBody<'IssuedTrial'>>> {
  return ask('/api/v1/trials', {
    method: 'POST',
    // Without this type the service refuses browsers: it could not distinguish a page of another origin.
    headers: { 'Content-Type': 'application/json' },
  });
}

export function findAccount(apiKey: string): Promise<Result<Account>> {
  return ask('/api/v1/account', withKey(apiKey));
}

/** Returns whether the service responds at all; requests the address of the page itself, which every proxy lets through. */
export async function isServiceThere(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

async function ask<T>(path: string, init: RequestInit): Promise<Result<T>> {
  try {
    const response = await fetch(path, { ...init, cache: 'no-store' });
    const text = await response.text();
    if (!response.ok) return { kind: 'refused', trouble: troubleFrom(response.status, text) };
    return { kind: 'ok', value: JSON.parse(text || 'null') as T };
  } catch {
    return { kind: 'refused', trouble: UNREACHABLE };
  }
}
