import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountStatus } from '../../domain/account';

/** PostgreSQL returns 64-bit integers as text; totals stay far below 2^53. */
export const total = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id!: string;

  /** Null for a trial. */
  @Column({ type: 'varchar', length: 254, unique: true, nullable: true })
  email!: string | null;

  @Column({ type: 'varchar', length: 16 })
  status!: AccountStatus;

  @Column({ name: 'created_at', type: Date })
  createdAt!: Date;

  @Column(total)
  images!: number;

  @Column({ name: 'bytes_in', ...total })
  bytesIn!: number;

  @Column({ name: 'bytes_saved', ...total })
  bytesSaved!: number;

  /** Images per month; null if the quota of the service applies. */
  @Column({ name: 'quota_images', type: 'integer', nullable: true })
  quotaImages!: number | null;

  /** Images left in a trial; null for other accounts, like the next column. */
  @Column({ name: 'trial_images_left', type: 'integer', nullable: true })
  trialImagesLeft!: number | null;

  @Column({ name: 'trial_expires_at', type: Date, nullable: true })
  trialExpiresAt!: Date | null;
}
