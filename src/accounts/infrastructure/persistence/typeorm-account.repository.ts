/**
 * Accounts, keys and usage in SQLite or PostgreSQL. Every query goes through the runner of database-tasks.ts,
 * which turns an outage into AccountStoreUnavailable. What replicas could do at the same time is one
 * statement or one transaction.
 */
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Between, DataSource, In, IsNull, LessThan, MoreThan, Not, type EntityManager } from 'typeorm';
import {
  AccountRepository,
  type AddKeyOutcome,
  type KeyPosition,
  type UsageBatch,
  type UsageEntry,
  type UsagePosition,
} from '../../application/account-repository.port';
import {
  MAX_ACTIVE_KEYS,
  MAX_REVOKED_KEYS,
  newAccount,
  type Account,
  type AccountStatus,
  type StoredKey,
} from '../../domain/account';
import { monthAfter, toMonth, type MonthlyUsage, type MonthRange } from '../../domain/usage';
import { findDatabaseFile, identifyFile } from './database';
import { DATABASE_TASKS, isUniqueViolation, createTaskRunner, type TaskRunner } from './database-tasks';
import { AccountEntity, ApiKeyEntity, MonthlyUsageEntity, toAccount, toAccountRow, toKey } from './entities';

/** Revoked keys deleted per call: an account of an early release may have hundreds of thousands. */
const MAX_PURGED_KEYS = 1_000;
const USAGE_COLUMNS = { month: true, keyId: true, images: true, bytesIn: true, bytesSaved: true };

@Injectable()
export class TypeOrmAccountRepository extends AccountRepository implements OnApplicationShutdown {
  private readonly manager: EntityManager;
  private readonly file: string | undefined;
  private readonly fileAtStart: string | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(DATABASE_TASKS) private readonly run: TaskRunner = createTaskRunner(dataSource),
  ) {
    super();
    this.manager = dataSource.manager;
    this.file = findDatabaseFile(dataSource.options);
    this.fileAtStart = this.file && identifyFile(this.file);
  }

  /** Detects a deleted SQLite file, which a process can keep using while it is open. */
  isInPlace(): boolean {
    return this.file === undefined || identifyFile(this.file) === this.fileAtStart;
  }

  async ping(): Promise<void> {
    await this.run(() => this.dataSource.query('SELECT 1'));
  }

  /** After the modules are destroyed, which write pending usage. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }

  createAccount(account: Account, firstKey: StoredKey): Promise<boolean> {
    return this.transaction(async (manager) => {
      await manager.insert(AccountEntity, toAccountRow(account));
      await manager.insert(ApiKeyEntity, firstKey);
      return true;
    }).catch((error: unknown) => {
      if (isUniqueViolation(error)) return false;
      throw error;
    });
  }

  findAccount(idOrEmail: string): Promise<Account | undefined> {
    return this.run(async () => {
      const row = await this.manager.findOneBy(AccountEntity, [{ id: idOrEmail }, { email: idOrEmail }]);
      return row ? toAccount(row) : undefined;
    });
  }

  listAccounts(max: number, afterEmail = ''): Promise<Account[]> {
    // Trials have no address, so they are not listed.
    const find = { where: { email: MoreThan(afterEmail) }, order: { email: 'ASC' }, take: max } as const;
    return this.run(async () => (await this.manager.find(AccountEntity, find)).map(toAccount));
  }

  setStatus(accountId: string, status: AccountStatus): Promise<boolean> {
    return this.run(async () => {
      const { affected } = await this.manager.update(AccountEntity, { id: accountId }, { status });
      return affected === 1;
    });
  }

  takeTrialImage(accountId: string): Promise<boolean> {
    return this.run(async () => {
      const trial = { id: accountId, trialImagesLeft: MoreThan(0) };
      const { affected } = await this.manager.decrement(AccountEntity, trial, 'trialImagesLeft', 1);
      return affected === 1;
    });
  }

  /** Keys are deleted before the accounts that they refer to. Usage goes too. */
  purgeTrials(expiredBefore: Date, max: number): Promise<number> {
    return this.transaction(async (manager) => {
      const expired = await manager.find(AccountEntity, {
        select: { id: true },
        where: { trialExpiresAt: LessThan(expiredBefore) },
        order: { trialExpiresAt: 'ASC' },
        take: max,
      });
      const accountId = In(expired.map(({ id }) => id));
      if (expired.length === 0) return 0;
      await manager.delete(ApiKeyEntity, { accountId });
      await manager.delete(MonthlyUsageEntity, { accountId });
      const { affected } = await manager.delete(AccountEntity, { id: accountId });
      return affected ?? 0;
    });
  }

  addKey(key: StoredKey): Promise<AddKeyOutcome> {
    const { accountId } = key;
    return this.transaction(async (manager) => {
      // Locks the row of the account, so that replicas count and add its keys one after another.
      const { affected } = await manager.update(AccountEntity, { id: accountId }, { id: accountId });
      if (affected !== 1) return 'no_account';
      const active = await manager.countBy(ApiKeyEntity, { accountId, revokedAt: IsNull() });
      if (active >= MAX_ACTIVE_KEYS) return 'too_many';
      const old = await manager.find(ApiKeyEntity, {
        select: { id: true },
        where: { accountId, revokedAt: Not(IsNull()) },
        order: { revokedAt: 'DESC', id: 'ASC' },
        skip: MAX_REVOKED_KEYS,
        take: MAX_PURGED_KEYS,
      });
      if (old.length > 0) await manager.delete(ApiKeyEntity, { id: In(old.map(({ id }) => id)) });
      await manager.insert(ApiKeyEntity, key);
      return 'added';
    });
  }

  findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined> {
    return this.run(async () => {
      const find = { where: { digest }, relations: { account: true } };
      const row = await this.manager.findOne(ApiKeyEntity, find);
      if (!row) return undefined;
      const { account, ...key } = row;
      return { key: toKey(key), account: toAccount(account) };
    });
  }

  listKeys(accountId: string, limit: number, after?: KeyPosition): Promise<StoredKey[]> {
    const where = after
      ? [
          { accountId, createdAt: MoreThan(after.createdAt) },
          { accountId, createdAt: after.createdAt, id: MoreThan(after.id) },
        ]
      : { accountId };
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    return this.run(async () =>
      (await this.manager.find(ApiKeyEntity, { where, order, take: limit })).map(toKey),
    );
  }

  revokeKey(keyId: string, at: Date, accountId?: string): Promise<string | undefined> {
    return this.run(async () => {
      const owner = accountId === undefined ? {} : { accountId };
      const active = { id: keyId, revokedAt: IsNull(), ...owner };
      const row = await this.manager.findOneBy(ApiKeyEntity, active);
      if (!row) return undefined;
      const { affected } = await this.manager.update(ApiKeyEntity, active, { revokedAt: at });
      return affected === 1 ? row.accountId : undefined;
    });
  }

  addUsage({ writer, number, entries }: UsageBatch): Promise<void> {
    return this.transaction(async (manager) => {
      const stored: object[] = await manager.sql`
        INSERT INTO usage_writers (id, batch, month) VALUES (${writer}, ${number}, ${toMonth(new Date())})
        ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, month = excluded.month
          WHERE usage_writers.batch < excluded.batch
        RETURNING batch`;
      if (stored.length === 0) return;
      // Every process locks rows in the same order, so none waits for another in a circle.
      for (const entry of entries.toSorted(byAccount)) await addEntry(manager, entry);
    });
  }

  listUsage(
    accountId: string,
    { from, to }: MonthRange,
    max: number,
    after?: UsagePosition,
  ): Promise<MonthlyUsage[]> {
    const where = after
      ? [
          { accountId, month: Between(monthAfter(after.month, 1), to) },
          { accountId, month: after.month, keyId: MoreThan(after.keyId) },
        ]
      : { accountId, month: Between(from, to) };
    const order = { month: 'ASC', keyId: 'ASC' } as const;
    return this.run(() =>
      this.manager.find(MonthlyUsageEntity, { select: USAGE_COLUMNS, where, order, take: max }),
    );
  }

  purgeUsage(beforeMonth: string): Promise<void> {
    // A process that has written nothing for a month sends no batch of that time again.
    const idle = monthAfter(toMonth(new Date()), -1);
    return this.run(async () => {
      await this.manager.delete(MonthlyUsageEntity, { month: LessThan(beforeMonth) });
      await this.dataSource.sql`DELETE FROM usage_writers WHERE month < ${idle}`;
    });
  }

  private transaction<T>(work: (manager: EntityManager) => Promise<T>) {
    return this.run(() => this.dataSource.transaction(work));
  }
}

async function addEntry(manager: EntityManager, entry: UsageEntry) {
  const { accountId, month, keyId, images, bytesIn, bytesSaved, returned, name } = entry;
  if (name !== undefined) {
    const row = toAccountRow(newAccount({ id: accountId, email: name }));
    await manager.createQueryBuilder().insert().into(AccountEntity).values(row).orIgnore().execute();
  }
  if (images > 0) {
    await manager.sql`
      INSERT INTO monthly_usage (account_id, month, key_id, images, bytes_in, bytes_saved)
      VALUES (${accountId}, ${month}, ${keyId}, ${images}, ${bytesIn}, ${bytesSaved})
      ON CONFLICT (account_id, month, key_id) DO UPDATE SET
        images = monthly_usage.images + excluded.images,
        bytes_in = monthly_usage.bytes_in + excluded.bytes_in,
        bytes_saved = monthly_usage.bytes_saved + excluded.bytes_saved`;
  }
  // Only a trial has images left; for other accounts the sum stays null.
  await manager.sql`
    UPDATE accounts SET
      images = images + ${images},
      bytes_in = bytes_in + ${bytesIn},
      bytes_saved = bytes_saved + ${bytesSaved},
      trial_images_left = trial_images_left + ${returned}
    WHERE id = ${accountId}`;
}

function byAccount(a: UsageEntry, b: UsageEntry): number {
  const [first, second] = [a, b].map(({ accountId, month, keyId }) => `${accountId} ${month} ${keyId}`);
  return first < second ? -1 : 1;
}
