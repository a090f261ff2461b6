import { randomUUID } from 'node:crypto';
import type { StoredKey } from '../domain/account';
import { digestOf, displayPrefixOf, generateApiKey } from '../domain/api-key';

/** A new key. Its text is available only here. */
export interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

/** Creates a key for the account: the part to store, and the part for its owner. */
export function newKey(accountId: string): { key: StoredKey; issued: IssuedKey } {
  const apiKey = generateApiKey();
  const id = randomUUID();
  const key = {
    id,
    accountId,
    digest: digestOf(apiKey),
    displayPrefix: displayPrefixOf(apiKey),
    createdAt: new Date(),
  };
  return { key, issued: { accountId, keyId: id, apiKey } };
}
