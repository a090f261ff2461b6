import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountStatus } from '../../domain/account';

/** PostgreSQL hands out 64-bit integers as text; totals stay far below 2^53. */
const total = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id!: string;

  @Column({ type: 'varchar', length: 254, unique: true })
  email!: string;

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
}
