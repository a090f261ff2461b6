import { Column, Entity, PrimaryColumn } from 'typeorm';
import { total } from './account.entity';

/** What a key used in a month. No foreign keys: usage outlives the keys that are deleted. */
@Entity('monthly_usage')
export class MonthlyUsageEntity {
  @PrimaryColumn({ name: 'account_id', type: 'varchar', length: 36 })
  accountId!: string;

  /** In UTC, such as `2026-11`. */
  @PrimaryColumn({ type: 'varchar', length: 7 })
  month!: string;

  @PrimaryColumn({ name: 'key_id', type: 'varchar', length: 36 })
  keyId!: string;

  @Column(total)
  images!: number;

  @Column({ name: 'bytes_in', ...total })
  bytesIn!: number;

  @Column({ name: 'bytes_saved', ...total })
  bytesSaved!: number;

  @Column(total)
  variants!: number;
}
