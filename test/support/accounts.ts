import type { UsageBatch, UsageEntry } from '../../src/accounts/application/account-repository.port';
import type { Account, StoredKey, Trial } from '../../src/accounts/domain/account';

let made = 0;
export function newAccount(): { account: Account & { email: string }; key: StoredKey } {
  const id = `account-${++made}`;
  const createdAt = new Date('2026-03-01T12:00:00Z');
  const usage = { images: 0, bytesIn: 0, bytesSaved: 0 };
  return {
    account: { id, email: `${id}@example.com`, status: 'active', createdAt, usage },
    key: newKey(id),
  };
}

export function newKey(accountId: string): StoredKey {
  const id = `key-${++made}`;
  return {
    id,
    accountId,
    digest: id.padStart(64, '0'),
    displayPrefix: 'ics_abcdef',
    createdAt: new Date(made * 1000),
  };
}

/** An account without an e-mail address. */
export function newTrial(trial: Trial): { account: Account; key: StoredKey } {
  const { account, key } = newAccount();
  const { id, status, createdAt, usage } = account;
  return { account: { id, status, createdAt, usage, trial }, key };
}

let batches = 0;
export function batchOf(accountId: string, facts: Partial<UsageEntry> & { month: string }): UsageBatch {
  const nothing = { images: 0, bytesIn: 0, bytesSaved: 0, returned: 0 };
  return { writer: 'test', number: ++batches, entries: [{ accountId, keyId: 'key', ...nothing, ...facts }] };
}
