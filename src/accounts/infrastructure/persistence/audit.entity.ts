import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { AuditEvent } from '../../domain/audit';

/** The audit trail. The database refuses to change its rows. */
@Entity('audit')
export class AuditEntity {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: Date })
  at!: Date;

  @Column({ type: 'varchar', length: 32 })
  event!: AuditEvent;

  @Column({ name: 'account_id', type: 'varchar', length: 36 })
  accountId!: string;

  @Column({ name: 'key_id', type: 'varchar', length: 36, nullable: true })
  keyId!: string | null;

  @Column({ type: 'varchar', length: 64, nullable: true })
  detail!: string | null;

  @Column({ name: 'actor', type: 'varchar', length: 128 })
  by!: string;

  @Column({ type: 'varchar', length: 64, nullable: true })
  address!: string | null;
}
