/**
 * The tables of accounts, keys and usage, and the conversion of their rows to domain types and back. Types
 * fit both databases.
 */
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Account, AccountStatus } from '../../domain/account';

const text = (length: number, name?: string) => ({ type: 'varchar', length, ...(name && { name }) }) as const;
/** PostgreSQL returns 64-bit integers as text; totals stay far below 2^53. */
const total = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;

/** The table has more columns, of the quotas of earlier releases. */
@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn(text(36)) id!: string;
  @Column({ ...text(254), nullable: true, unique: true }) email!: string | null;
  @Column(text(16)) status!: AccountStatus;
  @Column({ name: 'created_at', type: Date }) createdAt!: Date;
  @Column(total) images!: number;
  @Column({ name: 'bytes_in', ...total }) bytesIn!: number;
  @Column({ name: 'bytes_saved', ...total }) bytesSaved!: number;
  /** Images left in a trial; null for other accounts, like the next column. */
  @Column({ name: 'trial_images_left', type: 'integer', nullable: true }) trialImagesLeft!: number | null;
  @Column({ name: 'trial_expires_at', type: Date, nullable: true }) trialExpiresAt!: Date | null;
}

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn(text(36)) id!: string;
  @Column(text(36, 'account_id')) accountId!: string;
  @ManyToOne(() => AccountEntity) @JoinColumn({ name: 'account_id' }) account!: Relation<AccountEntity>;
  /** SHA-256 of the key in hexadecimal. */
  @Column({ ...text(64), unique: true }) digest!: string;
  @Column(text(16, 'display_prefix')) displayPrefix!: string;
  @Column({ name: 'created_at', type: Date }) createdAt!: Date;
  @Column({ name: 'revoked_at', type: Date, nullable: true }) revokedAt!: Date | null;
}

/** No foreign keys: usage outlives the keys that are deleted. */
@Entity('monthly_usage')
export class MonthlyUsageEntity {
  @PrimaryColumn(text(36, 'account_id')) accountId!: string;
  @PrimaryColumn(text(7)) month!: string;
  @PrimaryColumn(text(36, 'key_id')) keyId!: string;
  @Column(total) images!: number;
  @Column({ name: 'bytes_in', ...total }) bytesIn!: number;
  @Column({ name: 'bytes_saved', ...total }) bytesSaved!: number;
}

export function toKey({ revokedAt, ...key }: Omit<ApiKeyEntity, 'account'>) {
  return { ...key, ...(revokedAt && { revokedAt }) };
}

export function toAccount(row: AccountEntity): Account {
  const { email, trialImagesLeft, trialExpiresAt: expiresAt, images, bytesIn, bytesSaved, ...facts } = row;
  return {
    ...facts,
    ...(email !== null && { email }),
    usage: { images, bytesIn, bytesSaved },
    ...(trialImagesLeft !== null &&
      expiresAt && { trial: { imagesLeft: Math.max(0, trialImagesLeft), expiresAt } }),
  };
}

export function toAccountRow({ usage, trial, ...facts }: Account) {
  return {
    ...facts,
    ...usage,
    trialImagesLeft: trial?.imagesLeft ?? null,
    trialExpiresAt: trial?.expiresAt ?? null,
  };
}
