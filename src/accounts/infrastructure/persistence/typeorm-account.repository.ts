import { Injectable } from '@nestjs/common';
import {
  DataSource,
  IsNull,
  LessThan,
  MoreThan,
  MoreThanOrEqual,
  type EntityManager,
  type UpdateResult,
} from 'typeorm';
import {
  AccountRepository,
  AccountStoreUnavailable,
  type AddKeyOutcome,
  type KeyLimits,
  type KeyPosition,
  type StoredAuditEntry,
} from '../../application/account-repository.port';
import type { Account, AccountStatus, AuditEntry, StoredKey } from '../../domain/account';
import { databaseFileOf, identityOf, DiskReserve } from './database-file';
import { runnerOf, type TaskRunner, isUniqueViolation } from './database-tasks';
import { AccountEntity, ApiKeyEntity, AuditEntity, present, toAccount, toAccountRow } from './entities';
import { purgeRevoked, purgeTrials } from './purged-rows';

@Injectable()
export class TypeOrmAccountRepository extends AccountRepository {
  private readonly run: TaskRunner;
  private readonly reserve: DiskReserve;
  private readonly file: string | undefined;
  private readonly fileAtStart: string | undefined;

  constructor(private readonly dataSource: DataSource) {
    super();
    this.run = runnerOf(dataSource, AccountStoreUnavailable);
    this.reserve = new DiskReserve(dataSource);
    this.file = databaseFileOf(dataSource.options);
    this.fileAtStart = this.file && identityOf(this.file);
  }

  /** Detects a deleted SQLite file, which a process can keep using while it is open. */
  isInPlace(): boolean {
    return this.file === undefined || identityOf(this.file) === this.fileAtStart;
  }

  createAccount(account: Account, firstKey: StoredKey, audit?: AuditEntry): Promise<boolean> {
    return this.run(async () => {
      try {
        await this.dataSource.transaction(async (manager) => {
          await manager.insert(AccountEntity, toAccountRow(account));
          await manager.insert(ApiKeyEntity, firstKey);
          if (audit) await addAudit(manager, audit);
        });
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    });
  }

  findAccount(idOrEmail: string): Promise<Account | undefined> {
    return this.run(async () => {
      const row = await this.dataSource.manager.findOneBy(AccountEntity, [
        { id: idOrEmail },
        { email: idOrEmail },
      ]);
      return row ? toAccount(row) : undefined;
    });
  }

  listAccounts(max: number, afterEmail = ''): Promise<Account[]> {
    // Trials have no address, so they are not listed.
    const where = { email: MoreThan(afterEmail) };
    return this.run(async () => {
      const find = { where, order: { email: 'ASC' }, take: max } as const;
      return (await this.dataSource.manager.find(AccountEntity, find)).map(toAccount);
    });
  }

  setStatus(accountId: string, status: AccountStatus, audit: AuditEntry): Promise<boolean> {
    return this.updateOne(audit, (manager) => manager.update(AccountEntity, { id: accountId }, { status }));
  }

  setQuota(accountId: string, images: number | undefined, audit: AuditEntry): Promise<boolean> {
    const quotaImages = images ?? null;
    return this.updateOne(audit, (manager) =>
      manager.update(AccountEntity, { id: accountId }, { quotaImages }),
    );
  }

  purgeTrials(expiredBefore: Date, max: number): Promise<number> {
    return this.run(() => this.dataSource.transaction((manager) => purgeTrials(manager, expiredBefore, max)));
  }

  addKey(key: StoredKey, { maxActive, maxRevoked }: KeyLimits, audit: AuditEntry): Promise<AddKeyOutcome> {
    const { accountId } = key;
    return this.run(() =>
      this.dataSource.transaction(async (manager) => {
        // Locks the row of the account, so that replicas count and add its keys one after another.
        const { affected } = await manager.update(AccountEntity, { id: accountId }, { id: accountId });
        if (affected !== 1) return 'no_account';
        const active = await manager.countBy(ApiKeyEntity, { accountId, revokedAt: IsNull() });
        if (active >= maxActive) return 'too_many';
        await purgeRevoked(manager, accountId, maxRevoked);
        await manager.insert(ApiKeyEntity, key);
        await addAudit(manager, audit);
        return 'added';
      }),
    );
  }

  findKey(keyId: string): Promise<StoredKey | undefined> {
    return this.run(async () => {
      const row = await this.dataSource.manager.findOneBy(ApiKeyEntity, { id: keyId });
      return row ? present(row) : undefined;
    });
  }

  findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined> {
    return this.run(async () => {
      const row = await this.dataSource.manager.findOne(ApiKeyEntity, {
        where: { digest },
        relations: { account: true },
      });
      if (!row) return undefined;
      const { account, ...key } = row;
      return { key: present(key), account: toAccount(account) };
    });
  }

  listKeys(accountId: string, limit: number, after?: KeyPosition): Promise<StoredKey[]> {
    const where = after
      ? [
          { accountId, createdAt: MoreThan(after.createdAt) },
          { accountId, createdAt: after.createdAt, id: MoreThan(after.id) },
        ]
      : { accountId };
    return this.run(async () => {
      const order = { createdAt: 'ASC', id: 'ASC' } as const;
      const rows = await this.dataSource.manager.find(ApiKeyEntity, { where, order, take: limit });
      return rows.map(present);
    });
  }

  revokeKey(accountId: string, keyId: string, audit: AuditEntry): Promise<boolean> {
    const activeKey = { id: keyId, accountId, revokedAt: IsNull() };
    return this.updateOne(audit, (manager) =>
      manager.update(ApiKeyEntity, activeKey, { revokedAt: audit.at }),
    );
  }

  listAudit(since: Date, max: number, afterId = 0): Promise<StoredAuditEntry[]> {
    const where = { id: MoreThan(afterId), at: MoreThanOrEqual(since) };
    return this.run(async () => {
      const find = { where, order: { id: 'ASC' }, take: max } as const;
      return (await this.dataSource.manager.find(AuditEntity, find)).map(present);
    });
  }

  purgeAudit(before: Date): Promise<void> {
    return this.run(async () => {
      await this.dataSource.manager.delete(AuditEntity, { at: LessThan(before) });
    });
  }

  /** Updates one row and adds the audit entry, also on a full disk. Returns false if there is no such row. */
  private updateOne(
    audit: AuditEntry,
    update: (manager: EntityManager) => Promise<UpdateResult>,
  ): Promise<boolean> {
    return this.run(() =>
      this.reserve.runWithReserve(() =>
        this.dataSource.transaction(async (manager) => {
          const { affected } = await update(manager);
          if (affected !== 1) return false;
          await addAudit(manager, audit);
          return true;
        }),
      ),
    );
  }
}

/** TypeORM writes the new id into what it inserts, so it gets a copy. */
async function addAudit(manager: EntityManager, audit: AuditEntry): Promise<void> {
  await manager.insert(AuditEntity, { ...audit });
}
