/**
 * The port to the account database. Its one adapter is typeorm-account.repository.ts, for SQLite and
 * PostgreSQL; a suite in test/contract checks both.
 */
import { Problem } from '../../contract/problem';
import { accountStoreUnavailable } from '../../contract/service-problems';
import type { Account, AccountStatus, StoredKey } from '../domain/account';
import type { MonthlyUsage, MonthRange } from '../domain/usage';

/** The account database is unreachable or does not respond. The request may be retried. */
export class AccountStoreUnavailable extends Problem {
  constructor(cause: unknown) {
    const { code, detail, facts } = accountStoreUnavailable();
    super(code, detail, facts, { cause });
  }
}

/** `no_account`: the account was deleted meanwhile. `too_many`: it has MAX_ACTIVE_KEYS already. */
export type AddKeyOutcome = 'added' | 'no_account' | 'too_many';

/** The place of a key in the list of its account: by creation time, then id. A page begins after it. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** What one key adds in one month to the usage of its account. Counts are differences, not totals. */
export interface UsageEntry extends MonthlyUsage {
  readonly accountId: string;
  /** Images that go back to the trial. */
  readonly returned: number;
  /** Stores the account first if it is not there: the name of an account of the configuration. */
  readonly name?: string;
}

/**
 * Entries that are stored together, once. A call that fails after its commit may be repeated with the same
 * number.
 */
export interface UsageBatch {
  /** A random id of the process; it starts again with number 1 under another id. */
  readonly writer: string;
  /** Increases with each batch of the writer. */
  readonly number: number;
  readonly entries: readonly UsageEntry[];
}

/** The place of a row in the usage of an account: by month, then key. */
export type UsagePosition = Pick<MonthlyUsage, 'month' | 'keyId'>;

/** Stores accounts, keys and usage. Every method that returns a promise may reject with AccountStoreUnavailable. */
export abstract class AccountRepository {
  /** Returns false if the database was deleted or replaced since it was opened; new data would be lost. */
  abstract isInPlace(): boolean;
  /** Resolves if the database responds. It may take as long as the database's own timeout. */
  abstract ping(): Promise<void>;

  /** Stores an account and its first key. Returns false and stores nothing if the e-mail address already has an account. */
  abstract createAccount(account: Account, firstKey: StoredKey): Promise<boolean>;
  /** Finds an account by its id or by its e-mail address in lower case. */
  abstract findAccount(idOrEmail: string): Promise<Account | undefined>;
  /** Returns up to `max` accounts in order of e-mail address, after the given one; no trials. */
  abstract listAccounts(max: number, afterEmail?: string): Promise<Account[]>;
  /** Returns false if there is no such account. Keys of a suspended account are refused from the next request on. */
  abstract setStatus(accountId: string, status: AccountStatus): Promise<boolean>;

  /** Takes an image off a trial. Returns false if none is left. Concurrent calls, even of other replicas, cannot take too many. */
  abstract takeTrialImage(accountId: string): Promise<boolean>;
  /** Deletes up to `max` trials that expired before the given time, with their keys. Returns their number. */
  abstract purgeTrials(expiredBefore: Date, max: number): Promise<number>;

  /** Adds the key unless MAX_ACTIVE_KEYS are active; deletes all but the newest MAX_REVOKED_KEYS revoked ones. Atomic. */
  abstract addKey(key: StoredKey): Promise<AddKeyOutcome>;
  /** Also returns revoked keys, and those of suspended accounts and expired trials: the caller decides. */
  abstract findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined>;
  /** Returns up to `limit` keys, revoked ones included, oldest first, after the given position. */
  abstract listKeys(accountId: string, limit: number, after?: KeyPosition): Promise<StoredKey[]>;
  /** Revokes an active key, of this account if one is given. Returns its account; undefined if there is no such key. */
  abstract revokeKey(keyId: string, at: Date, accountId?: string): Promise<string | undefined>;

  /** Adds the entries to the totals and months of their accounts, all or none. A batch stored before changes nothing. */
  abstract addUsage(batch: UsageBatch): Promise<void>;
  /**
   * Returns up to `max` rows of the months in the range, both ends included, by month and key, after the
   * given position.
   */
  abstract listUsage(
    accountId: string,
    range: MonthRange,
    max: number,
    after?: UsagePosition,
  ): Promise<MonthlyUsage[]>;
  /** Deletes usage by month from before the given month. Totals stay. */
  abstract purgeUsage(beforeMonth: string): Promise<void>;
}
