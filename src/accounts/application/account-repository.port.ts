import { Problem } from '../../contract/problem';
import { accountStoreUnavailable } from '../../contract/service-problems';
import type { Account, AccountStatus, StoredKey, Usage } from '../domain/account';

/** The account database is unreachable or does not respond. The request may be retried. */
export class AccountStoreUnavailable extends Problem {
  constructor(cause: unknown) {
    const { code, detail, facts } = accountStoreUnavailable();
    super(code, detail, facts, { cause });
  }
}

export type AddKeyOutcome = 'added' | 'no_account' | 'too_many';

/** Limits for the keys of an account. */
export interface KeyLimits {
  readonly maxActive: number;
  readonly maxRevoked: number;
}

/** The position of a key in the list of its account: by creation time, then id. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Stores accounts and keys. Every method that returns a promise may reject with AccountStoreUnavailable. */
export abstract class AccountRepository {
  /** Returns false if the database was deleted or replaced since it was opened; new data would be lost. */
  abstract isInPlace(): boolean;

  /** Stores an account and its first key. Returns false and stores nothing if the e-mail address already has an account. */
  abstract createAccount(account: Account, firstKey: StoredKey): Promise<boolean>;
  /** Finds an account by its id or by its e-mail address in lower case. */
  abstract findAccount(idOrEmail: string): Promise<Account | undefined>;
  /** Returns up to `max` accounts in order of e-mail address, after the given one; no trials. */
  abstract listAccounts(max: number, afterEmail?: string): Promise<Account[]>;
  /** Returns false if there is no such account. */
  abstract setStatus(accountId: string, status: AccountStatus): Promise<boolean>;
  /** Adds to the usage totals; safe under concurrent calls. */
  abstract addUsage(accountId: string, used: Usage): Promise<void>;

  /**
   * Changes the number of images left in a trial. Returns false and changes nothing if fewer than 0 would be left, or if there
   * is no such trial. Safe under concurrent calls.
   */
  abstract changeTrialImages(accountId: string, by: 1 | -1): Promise<boolean>;
  /** Deletes up to `max` trials that expired before the given time, with their keys. Returns their number. */
  abstract purgeTrials(expiredBefore: Date, max: number): Promise<number>;

  /**
   * Adds the key unless its account already has `maxActive` active keys. Deletes all revoked keys of the account but the newest
   * `maxRevoked`. Concurrent calls cannot exceed the limit.
   */
  abstract addKey(key: StoredKey, limits: KeyLimits): Promise<AddKeyOutcome>;
  abstract findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined>;
  /** Returns up to `limit` keys, revoked ones included, oldest first, after the given position. */
  abstract listKeys(accountId: string, limit: number, after?: KeyPosition): Promise<StoredKey[]>;
  /** Revokes a key. Returns false if no active key has this id, or if it belongs to an account other than `accountId`. */
  abstract revokeKey(keyId: string, at: Date, accountId?: string): Promise<boolean>;
}
