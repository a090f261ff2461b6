/** The statements about trial accounts. */
import { In, LessThan, type EntityManager } from 'typeorm';
import { AccountEntity } from './account.entity';
import { ApiKeyEntity } from './api-key.entity';
import { MonthlyUsageEntity } from './monthly-usage.entity';

/** Runs in a transaction: keys are deleted before the accounts that they refer to. Usage goes too. */
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
