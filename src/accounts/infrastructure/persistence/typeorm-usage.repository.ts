import { Injectable } from '@nestjs/common';
import { Between, DataSource, LessThan, MoreThan, type EntityManager } from 'typeorm';
import { AccountStoreUnavailable } from '../../application/account-repository.port';
import {
  UsageRepository,
  type ReservedImages,
  type UsageBatch,
  type UsageEntry,
  type UsagePosition,
} from '../../application/usage-repository.port';
import { monthAfter, monthOf, type MonthlyUsage, type MonthRange } from '../../domain/usage';
import { runnerOf, type TaskRunner } from './database-tasks';
import { AccountEntity, MonthlyUsageEntity } from './entities';

/** The columns of MonthlyUsage. */
const COLUMNS = { month: true, keyId: true, images: true, bytesIn: true, bytesSaved: true, variants: true };

interface Counted {
  /** PostgreSQL returns the sum of 64-bit integers as text. */
  readonly used: number | string;
}

@Injectable()
export class TypeOrmUsageRepository extends UsageRepository {
  private readonly run: TaskRunner;
  private readonly isPostgres: boolean;

  constructor(private readonly dataSource: DataSource) {
    super();
    this.run = runnerOf(dataSource, AccountStoreUnavailable);
    this.isPostgres = dataSource.options.type === 'postgres';
  }

  add({ writer, number, entries }: UsageBatch): Promise<void> {
    return this.run(() =>
      this.dataSource.transaction(async (manager) => {
        const stored: object[] = await manager.sql`
          INSERT INTO usage_writers (id, batch, month) VALUES (${writer}, ${number}, ${monthOf(new Date())})
          ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, month = excluded.month
            WHERE usage_writers.batch < excluded.batch
          RETURNING batch`;
        if (stored.length === 0) return;
        // Every process locks rows in the same order, so none waits for another in a circle.
        for (const entry of entries.toSorted(byAccount)) await addEntry(manager, entry);
      }),
    );
  }

  /**
   * A single statement. The subquery starts the count of a month, and corrects it after a time without a quota, when images
   * were not counted.
   */
  reserve({
    accountId,
    images,
    month,
    limit,
  }: ReservedImages): Promise<{ isReserved: boolean; used: number }> {
    const stored = `(SELECT COALESCE(SUM(images), 0) FROM monthly_usage WHERE account_id = accounts.id AND month = '${month}')`;
    const counted = `CASE WHEN quota_month = '${month}' THEN quota_used ELSE 0 END`;
    const used = () => `${this.isPostgres ? 'GREATEST' : 'MAX'}(${counted}, ${stored})`;
    return this.run(async () => {
      const result: unknown = await this.dataSource.sql`
        UPDATE accounts SET quota_month = ${month}, quota_used = ${images} + ${used}
        WHERE id = ${accountId} AND ${images} + ${used} <= ${limit}
        RETURNING quota_used AS used`;
      // PostgreSQL's driver returns the rows of an UPDATE with their number.
      const [rows] = this.isPostgres ? (result as [Counted[]]) : [result as Counted[]];
      const reserved = rows.at(0);
      if (reserved) return { isReserved: true, used: Number(reserved.used) };
      const [refused]: Counted[] = await this.dataSource
        .sql`SELECT COALESCE(MAX(${used}), 0) AS used FROM accounts WHERE id = ${accountId}`;
      return { isReserved: false, used: Number(refused.used) };
    });
  }

  takeTrialImages(accountId: string, images: number): Promise<boolean> {
    return this.run(async () => {
      const { affected } = await this.dataSource
        .createQueryBuilder()
        .update(AccountEntity)
        .set({ trialImagesLeft: () => 'trial_images_left - :images' })
        .where('id = :accountId AND trial_images_left >= :images')
        .setParameters({ accountId, images })
        .execute();
      return affected === 1;
    });
  }

  imagesOf(accountId: string, month: string): Promise<number> {
    return this.run(
      async () =>
        (await this.dataSource.manager.sum(MonthlyUsageEntity, 'images', { accountId, month })) ?? 0,
    );
  }

  list(
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
    return this.run(async () => {
      const order = { month: 'ASC', keyId: 'ASC' } as const;
      const find = { select: COLUMNS, where, order, take: max };
      return this.dataSource.manager.find(MonthlyUsageEntity, find);
    });
  }

  purge(beforeMonth: string): Promise<void> {
    // A process that has written nothing for a month sends no batch of that time again.
    const idle = monthAfter(monthOf(new Date()), -1);
    return this.run(async () => {
      await this.dataSource.manager.delete(MonthlyUsageEntity, { month: LessThan(beforeMonth) });
      await this.dataSource.sql`DELETE FROM usage_writers WHERE month < ${idle}`;
    });
  }
}

async function addEntry(manager: EntityManager, entry: UsageEntry): Promise<void> {
  const { accountId, month, keyId, images, bytesIn, bytesSaved, variants, returned } = entry;
  if (images > 0) {
    await manager.sql`
      INSERT INTO monthly_usage (account_id, month, key_id, images, bytes_in, bytes_saved, variants)
      VALUES (${accountId}, ${month}, ${keyId}, ${images}, ${bytesIn}, ${bytesSaved}, ${variants})
      ON CONFLICT (account_id, month, key_id) DO UPDATE SET
        images = monthly_usage.images + excluded.images,
        bytes_in = monthly_usage.bytes_in + excluded.bytes_in,
        bytes_saved = monthly_usage.bytes_saved + excluded.bytes_saved,
        variants = monthly_usage.variants + excluded.variants`;
  }
  // Only a trial has images left; only the month of the reservation gets them back.
  await manager.sql`
    UPDATE accounts SET
      images = images + ${images},
      bytes_in = bytes_in + ${bytesIn},
      bytes_saved = bytes_saved + ${bytesSaved},
      quota_used = CASE WHEN quota_month = ${month} THEN quota_used - ${returned} ELSE quota_used END,
      trial_images_left = trial_images_left + ${returned}
    WHERE id = ${accountId}`;
}

function byAccount(a: UsageEntry, b: UsageEntry): number {
  const [first, second] = [a, b].map(({ accountId, month, keyId }) => `${accountId} ${month} ${keyId}`);
  return first < second ? -1 : 1;
}
