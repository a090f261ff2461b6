import { troubleFrom, UNREACHABLE, type Trouble } from '../words/trouble';

export interface Account {
  /** Null for a trial. */
  readonly email: string | null;
  /** Null for an account created by sign-up. */
  readonly trial: { readonly imagesLeft: number } | null;
  readonly usage: { readonly images: number; readonly bytesSaved: number };
}

export type Result<T> =
  { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly trouble: Trouble };

/** An active key of an account, without its secret part. */
export interface ListedKey {
  readonly keyId: string;
  /** The beginning of the key. */
  readonly displayPrefix: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

interface IssuedKey {
  readonly apiKey: string;
}

/** Opens an account and returns its first key. */
export function signUp(email: string): Promise<Result<IssuedKey>> {
  return ask('/api/v1/accounts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  });
}

/** Returns the active keys of an account, the oldest first. */
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

interface KeyPage {
  readonly keys: readonly (ListedKey & { readonly revokedAt: string | null })[];
  readonly next: string | null;
}

/** Returns a new key of the same account. */
export function issueKey(apiKey: string): Promise<Result<IssuedKey>> {
  return ask(KEYS, withKey(apiKey, 'POST'));
}

export function revokeKey(apiKey: string, keyId: string): Promise<Result<unknown>> {
  return ask(`${KEYS}/${keyId}`, withKey(apiKey, 'DELETE'));
}

function withKey(apiKey: string, method = 'GET'): RequestInit {
  return { method, headers: { 'X-API-Key': apiKey } };
}

/** Opens an account without an e-mail address, for a few images. */
export function openTrial(): Promise<Result<IssuedKey & { readonly images: number }>> {
  return ask('/api/v1/trials', {
    method: 'POST',
    // Without this type the service refuses browsers: it could not distinguish a page of another origin.
    headers: { 'Content-Type': 'application/json' },
  });
}

/** Returns the account of a key; also checks whether the key is still valid. */
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
