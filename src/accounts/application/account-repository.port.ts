import type { Account, AccountStatus, StoredKey, Usage } from '../domain/account';

/** The store cannot be reached or does not answer; the caller did nothing wrong and may try again. */
export class AccountStoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The account store is out of reach', { cause });
    this.name = 'AccountStoreUnavailable';
  }
}

/** Where accounts and keys are kept. Every method may throw AccountStoreUnavailable. */
export abstract class AccountRepository {
  /** False when the e-mail address has an account already; nothing is stored then. */
  abstract createAccount(account: Account, firstKey: StoredKey): Promise<boolean>;
  /** By its id or its e-mail address (in lower case). */
  abstract findAccount(idOrEmail: string): Promise<Account | undefined>;
  /** False when there is no such account. */
  abstract setStatus(accountId: string, status: AccountStatus): Promise<boolean>;
  /** Adds to the totals; safe under concurrent calls. */
  abstract addUsage(accountId: string, used: Usage): Promise<void>;

  abstract addKey(key: StoredKey): Promise<void>;
  abstract findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined>;
  /** Oldest first, revoked ones included. */
  abstract listKeys(accountId: string): Promise<StoredKey[]>;
  /** False when there is no live key with this id, or it belongs to another account than the one named. */
  abstract revokeKey(keyId: string, at: Date, accountId?: string): Promise<boolean>;
}
