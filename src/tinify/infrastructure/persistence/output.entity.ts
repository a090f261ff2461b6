import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ResultFormatName } from '../../../contract/formats';

/** PostgreSQL returns 64-bit integers as text. */
const bytes = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;

@Entity('tinify_outputs')
export class OutputEntity {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  digest!: string;

  @Column({ name: 'account_id', type: 'varchar', length: 36 })
  accountId!: string;

  @Column({ name: 'created_at', type: Date })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: Date })
  expiresAt!: Date;

  /** False while the pieces are being written. */
  @Column({ name: 'is_complete', type: Boolean })
  isComplete!: boolean;

  @Column({ type: 'varchar', length: 4 })
  format!: ResultFormatName;

  @Column({ type: 'integer' })
  width!: number;

  @Column({ type: 'integer' })
  height!: number;

  @Column({ name: 'upload_bytes', ...bytes })
  uploadBytes!: number;

  @Column({ name: 'result_bytes', ...bytes })
  resultBytes!: number;

  /** Bytes that it counts in the bound of the store. */
  @Column({ name: 'held_bytes', ...bytes })
  heldBytes!: number;
}
