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

/** Opens an account and returns its first key. */
export async function signUp(email: string, code: string): Promise<Result<string>> {
  const response = await ask<{ apiKey: string }>('/api/v1/accounts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, ...(code ? { code } : {}) }),
  });
  return response.kind === 'ok' ? { kind: 'ok', value: response.value.apiKey } : response;
}

export interface OpenedTrial {
  readonly apiKey: string;
  readonly images: number;
}

/** Opens an account without an e-mail address, for a few images. */
export function openTrial(): Promise<Result<OpenedTrial>> {
  return ask<OpenedTrial>('/api/v1/trials', {
    method: 'POST',
    // Without this type the service refuses browsers: it could not distinguish a page of another origin.
    headers: { 'Content-Type': 'application/json' },
  });
}

/** Returns the account of a key; also checks whether the key is still valid. */
export function findAccount(apiKey: string): Promise<Result<Account>> {
  return ask<Account>('/api/v1/account', { headers: { 'X-API-Key': apiKey } });
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
    return { kind: 'ok', value: JSON.parse(text) as T };
  } catch {
    return { kind: 'refused', trouble: UNREACHABLE };
  }
}
