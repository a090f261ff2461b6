/** The statements about trial accounts. */
import { In, LessThan, type DataSource, type EntityManager } from 'typeorm';
import { AccountEntity } from './account.entity';
import { ApiKeyEntity } from './api-key.entity';

/** A single statement, so that concurrent calls, even on other replicas, cannot take more images than there are. */
export async function changeTrialImages(
  dataSource: DataSource,
  accountId: string,
  by: 1 | -1,
): Promise<boolean> {
  const { affected } = await dataSource
    .createQueryBuilder()
    .update(AccountEntity)
    .set({ trialImagesLeft: () => 'trial_images_left + :by' })
    .where('id = :accountId AND trial_images_left + :by >= 0')
    .setParameters({ accountId, by })
    .execute();
  return affected === 1;
}

/** Runs in a transaction: keys are deleted before the accounts that they refer to. */
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
  const { affected } = await manager.delete(AccountEntity, { id: In(ids) });
  return affected ?? 0;
}
