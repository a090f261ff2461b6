import type { MonthlyUsage, MonthRange } from '../domain/usage';

/** What one key adds to the usage of its account in one month. */
export interface UsageEntry extends MonthlyUsage {
  readonly accountId: string;
  /** Reserved images that were not made. They go back to the quota of the month, or to the trial. */
  readonly returned: number;
}

/** Entries that are stored together, once. */
export interface UsageBatch {
  /** The process that writes it. */
  readonly writer: string;
  /** Increases with each batch of the writer. */
  readonly number: number;
  readonly entries: readonly UsageEntry[];
}

/** Images to reserve. */
export interface ReservedImages {
  readonly accountId: string;
  readonly images: number;
  readonly month: string;
  /** The quota of the month. */
  readonly limit: number;
}

/** The position of a row in the usage of its account: by month, then key. */
export type UsagePosition = Pick<MonthlyUsage, 'month' | 'keyId'>;

/** Stores usage, and counts reserved images. Every method may reject with AccountStoreUnavailable. */
export abstract class UsageRepository {
  /**
   * Adds the entries to the totals of their accounts and to their months; all or none. A batch that was stored before changes
   * nothing, so a call that fails after its commit may be repeated.
   */
  abstract add(batch: UsageBatch): Promise<void>;
  /**
   * Reserves images unless that exceeds the limit of the month. The count of a month begins with its stored usage. Concurrent
   * calls, even of other replicas, cannot exceed the limit.
   * @returns whether they are reserved, and the images that are used or reserved now
   */
  abstract reserve(images: ReservedImages): Promise<{ readonly isReserved: boolean; readonly used: number }>;
  /** Takes images off a trial. Returns false and takes none if fewer are left. Safe under concurrent calls. */
  abstract takeTrialImages(accountId: string, images: number): Promise<boolean>;
  /** Returns the stored images of an account in a month. */
  abstract imagesOf(accountId: string, month: string): Promise<number>;
  /** Returns up to `max` rows of an account by month and key, after the given position. */
  abstract list(
    accountId: string,
    range: MonthRange,
    max: number,
    after?: UsagePosition,
  ): Promise<MonthlyUsage[]>;
  /** Deletes usage by month from before the given month. Totals stay. */
  abstract purge(beforeMonth: string): Promise<void>;
}
