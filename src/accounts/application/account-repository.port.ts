import { Problem } from '../../contract/problem';
import { accountStoreUnavailable } from '../../contract/service-problems';
import type { Account, AccountStatus, AuditEntry, StoredKey } from '../domain/account';

/** The account database is unreachable or does not respond. The request may be retried. */
export class AccountStoreUnavailable extends Problem {
  constructor(cause: unknown) {
    const { code, detail, facts } = accountStoreUnavailable();
    super(code, detail, facts, { cause });
  }
}

/** An entry of the audit trail as it is stored; ids increase. */
export interface StoredAuditEntry extends AuditEntry {
  readonly id: number;
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

/**
 * Stores accounts, keys and the audit trail. An audit entry is stored together with its change, or not at all. Every method that
 * returns a promise may reject with AccountStoreUnavailable.
 */
export abstract class AccountRepository {
  /** Returns false if the database was deleted or replaced since it was opened; new data would be lost. */
  abstract isInPlace(): boolean;

  /** Stores an account and its first key. Returns false and stores nothing if the e-mail address already has an account. */
  abstract createAccount(account: Account, firstKey: StoredKey, audit?: AuditEntry): Promise<boolean>;
  /** Finds an account by its id or by its e-mail address in lower case. */
  abstract findAccount(idOrEmail: string): Promise<Account | undefined>;
  /** Returns up to `max` accounts in order of e-mail address, after the given one; no trials. */
  abstract listAccounts(max: number, afterEmail?: string): Promise<Account[]>;
  /** Returns false if there is no such account. */
  abstract setStatus(accountId: string, status: AccountStatus, audit: AuditEntry): Promise<boolean>;
  /** Sets the quota of an account; undefined for the quota of the service. Returns false if there is no such account. */
  abstract setQuota(accountId: string, images: number | undefined, audit: AuditEntry): Promise<boolean>;
  /** Deletes up to `max` trials that expired before the given time, with their keys. Returns their number. */
  abstract purgeTrials(expiredBefore: Date, max: number): Promise<number>;

  /**
   * Adds the key unless its account already has `maxActive` active keys. Deletes all revoked keys of the account but the newest
   * `maxRevoked`. Concurrent calls cannot exceed the limit.
   */
  abstract addKey(key: StoredKey, limits: KeyLimits, audit: AuditEntry): Promise<AddKeyOutcome>;
  abstract findKey(keyId: string): Promise<StoredKey | undefined>;
  abstract findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined>;
  /** Returns up to `limit` keys, revoked ones included, oldest first, after the given position. */
  abstract listKeys(accountId: string, limit: number, after?: KeyPosition): Promise<StoredKey[]>;
  /** Revokes a key. Returns false if the account has no active key with this id. */
  abstract revokeKey(accountId: string, keyId: string, audit: AuditEntry): Promise<boolean>;

  /** Returns up to `max` entries of the audit trail since a time, oldest first, after the given id. */
  abstract listAudit(since: Date, max: number, afterId?: number): Promise<StoredAuditEntry[]>;
  /** Deletes entries of the audit trail from before the given time. */
  abstract purgeAudit(before: Date): Promise<void>;
}
