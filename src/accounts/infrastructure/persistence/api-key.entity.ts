import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { AccountEntity } from './account.entity';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  id!: string;

  @Column({ name: 'account_id', type: 'varchar', length: 36 })
  accountId!: string;

  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'account_id' })
  account!: Relation<AccountEntity>;

  /** SHA-256 of the key in hexadecimal. */
  @Column({ type: 'varchar', length: 64, unique: true })
  digest!: string;

  @Column({ name: 'display_prefix', type: 'varchar', length: 16 })
  displayPrefix!: string;

  @Column({ name: 'created_at', type: Date })
  createdAt!: Date;

  @Column({ name: 'revoked_at', type: Date, nullable: true })
  revokedAt!: Date | null;
}
