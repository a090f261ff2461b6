import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, QueryFailedError } from 'typeorm';
import { AccountRepository, AccountStoreUnavailable } from '../../application/account-repository.port';
import type { Account, AccountStatus, StoredKey, Usage } from '../../domain/account';
import { AccountEntity } from './account.entity';
import { ApiKeyEntity } from './api-key.entity';

/** Unique violation: PostgreSQL's SQLSTATE, SQLite's extended result code. */
const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE']);

@Injectable()
export class TypeOrmAccountRepository extends AccountRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async createAccount({ usage, ...account }: Account, firstKey: StoredKey): Promise<boolean> {
    try {
      await this.dataSource.transaction(async (manager) => {
        await manager.insert(AccountEntity, { ...account, ...usage });
        await manager.insert(ApiKeyEntity, toRow(firstKey));
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw asOutage(error);
    }
  }

  findAccount(idOrEmail: string): Promise<Account | undefined> {
    return this.reaching(async () => {
      const row = await this.dataSource.manager.findOneBy(AccountEntity, [
        { id: idOrEmail },
        { email: idOrEmail },
      ]);
      return row ? toAccount(row) : undefined;
    });
  }

  setStatus(accountId: string, status: AccountStatus): Promise<boolean> {
    return this.reaching(async () => {
      const { affected } = await this.dataSource.manager.update(AccountEntity, { id: accountId }, { status });
      return affected === 1;
    });
  }

  addUsage(accountId: string, { images, bytesIn, bytesSaved }: Usage): Promise<void> {
    return this.reaching(async () => {
      await this.dataSource
        .createQueryBuilder()
        .update(AccountEntity)
        .set({
          images: () => 'images + :images',
          bytesIn: () => 'bytes_in + :bytesIn',
          bytesSaved: () => 'bytes_saved + :bytesSaved',
        })
        .where('id = :accountId')
        .setParameters({ accountId, images, bytesIn, bytesSaved })
        .execute();
    });
  }

  addKey(key: StoredKey): Promise<void> {
    return this.reaching(async () => {
      await this.dataSource.manager.insert(ApiKeyEntity, toRow(key));
    });
  }

  findKeyByDigest(digest: string): Promise<{ key: StoredKey; account: Account } | undefined> {
    return this.reaching(async () => {
      const row = await this.dataSource.manager.findOne(ApiKeyEntity, {
        where: { digest },
        relations: { account: true },
      });
      return row ? { key: toKey(row), account: toAccount(row.account) } : undefined;
    });
  }

  listKeys(accountId: string): Promise<StoredKey[]> {
    return this.reaching(async () => {
      const rows = await this.dataSource.manager.find(ApiKeyEntity, {
        where: { accountId },
        order: { createdAt: 'ASC', id: 'ASC' },
      });
      return rows.map(toKey);
    });
  }

  revokeKey(keyId: string, at: Date, accountId?: string): Promise<boolean> {
    return this.reaching(async () => {
      const live = { id: keyId, revokedAt: IsNull(), ...(accountId ? { accountId } : {}) };
      const { affected } = await this.dataSource.manager.update(ApiKeyEntity, live, { revokedAt: at });
      return affected === 1;
    });
  }

  private async reaching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asOutage(error);
    }
  }
}

/**
 * What a database says when it cannot be reached or cannot work: PostgreSQL's connection, resource and operator
 * classes (08, 53, 57P), the system's network errors, SQLite's locks and disk errors; the driver's own time-outs
 * have no code. Anything else is a fault of ours and stays what it is.
 */
const OUTAGE = /^(08|53|57P|E[A-Z]+$|SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY))/;

function asOutage(error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined || OUTAGE.test(code) ? new AccountStoreUnavailable(error) : error;
}

function codeOf(error: unknown): string | undefined {
  const source = error instanceof QueryFailedError ? (error.driverError as unknown) : error;
  const { code } = source as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof QueryFailedError && UNIQUE_VIOLATIONS.has(codeOf(error) ?? '');
}

function toAccount({ images, bytesIn, bytesSaved, ...rest }: AccountEntity): Account {
  return { ...rest, usage: { images, bytesIn, bytesSaved } };
}

function toKey({ id, accountId, digest, displayPrefix, createdAt, revokedAt }: ApiKeyEntity): StoredKey {
  return { id, accountId, digest, displayPrefix, createdAt, ...(revokedAt ? { revokedAt } : {}) };
}

function toRow(key: StoredKey): Omit<ApiKeyEntity, 'account'> {
  return { ...key, revokedAt: key.revokedAt ?? null };
}
