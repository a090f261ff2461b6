/** The rows that are deleted to make room: expired trials, and old keys. They run in a transaction. */
import { In, LessThan, type EntityManager } from 'typeorm';
import { AccountEntity, ApiKeyEntity, MonthlyUsageEntity } from './entities';

/** Rows deleted per call: an account from before the limit may have hundreds of thousands of revoked keys. */
const MAX_PURGED_ROWS = 1_000;

/** Keys are deleted before the accounts that they refer to. Usage goes too. */
export async function purgeTrials(manager: EntityManager, expiredBefore: Date, max: number): Promise<number> {
  const expired = await manager.find(AccountEntity, {
    select: { id: true },
    where: { trialExpiresAt: LessThan(expiredBefore) },
    order: { trialExpiresAt: 'ASC' },
    take: max,
  });
  const ids = expired.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await manager.delete(ApiKeyEntity, { accountId: In(ids) });
  await manager.delete(MonthlyUsageEntity, { accountId: In(ids) });
  const { affected } = await manager.delete(AccountEntity, { id: In(ids) });
  return affected ?? 0;
}

/** Deletes the revoked keys of an account except the newest, at most MAX_PURGED_ROWS of them. */
export async function purgeRevoked(manager: EntityManager, accountId: string, keep: number): Promise<void> {
  const old = await manager
    .createQueryBuilder(ApiKeyEntity, 'k')
    .select('k.id')
    .where('k.accountId = :accountId AND k.revokedAt IS NOT NULL', { accountId })
    .orderBy('k.revokedAt', 'DESC')
    .addOrderBy('k.id')
    .offset(keep)
    .limit(MAX_PURGED_ROWS)
    .getMany();
  if (old.length > 0) await manager.delete(ApiKeyEntity, { id: In(old.map(({ id }) => id)) });
}
