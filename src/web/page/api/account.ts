import type { AccountBody } from '../../../accounts/http/account-schemas';
import { troubleFrom, UNREACHABLE, type Trouble } from '../words/trouble';

export type Account = AccountBody<'Account'>;
type IssuedKey = AccountBody<'IssuedKey'>;
export type ListedKey = AccountBody<'KeyList'>['keys'][number];
export type Usage = Pick<AccountBody<'UsageList'>['usage'][number], 'images' | 'bytesSaved'>;

/** Either what was asked for, or why there is none. */
export type Result<T> =
  | { readonly value: T; readonly trouble?: undefined }
  | { readonly value?: undefined; readonly trouble: Trouble };

export function signUp(email: string): Promise<Result<IssuedKey>> {
  return ask('/api/v1/accounts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  });
}

export async function listKeys(apiKey: string): Promise<Result<ListedKey[]>> {
  const pages = await listPages<AccountBody<'KeyList'>>(`${KEYS}?`, apiKey);
  if (pages.trouble) return pages;
  const keys = pages.value.flatMap((page) => page.keys);
  return { value: keys.filter(({ revokedAt }) => revokedAt === null) };
}

/** Sums the usage of all keys in the current month, in UTC. */
export async function usageThisMonth(apiKey: string): Promise<Result<Usage>> {
  const month = new Date().toISOString().slice(0, 7);
  const path = `/api/v1/account/usage?from=${month}&to=${month}`;
  const pages = await listPages<AccountBody<'UsageList'>>(path, apiKey);
  if (pages.trouble) return pages;
  const rows = pages.value.flatMap(({ usage }) => usage);
  const sum = (key: keyof Usage) => rows.reduce((total, row) => total + row[key], 0);
  return { value: { images: sum('images'), bytesSaved: sum('bytesSaved') } };
}

async function listPages<Page extends { readonly next: string | null }>(
  path: string,
  apiKey: string,
): Promise<Result<Page[]>> {
  const pages: Page[] = [];
  for (let after: string | null = ''; after !== null;) {
    const response: Result<Page> = await ask(`${path}${after && `&after=${after}`}`, withKey(apiKey));
    if (response.trouble) return response;
    pages.push(response.value);
    after = response.value.next;
  }
  return { value: pages };
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
    if (!response.ok) return { trouble: troubleFrom(response.status, text) };
    return { value: JSON.parse(text || 'null') as T };
  } catch {
    return { trouble: UNREACHABLE };
  }
}
