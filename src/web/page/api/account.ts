import { troubleFrom, UNREACHABLE, type Trouble } from '../words/trouble';

export interface Account {
  /** Null for a trial. */
  readonly email: string | null;
  /** Null for an account that was signed up for. */
  readonly trial: { readonly imagesLeft: number } | null;
  readonly usage: { readonly images: number; readonly bytesSaved: number };
}

export type Result<T> =
  { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'refused'; readonly trouble: Trouble };

/** Opens an account and gives its first key. */
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
    // Without this type the service refuses browsers: a page of another origin could not be told apart.
    headers: { 'Content-Type': 'application/json' },
  });
}

/** Whose key this is; also the way to find out whether it is still good. */
export function findAccount(apiKey: string): Promise<Result<Account>> {
  return ask<Account>('/api/v1/account', { headers: { 'X-API-Key': apiKey } });
}

/** Whether the service responds at all; asked where the page itself came from, which every proxy lets through. */
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
