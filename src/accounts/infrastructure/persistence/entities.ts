/** The tables of accounts, and the conversion of their rows from and to domain types. */
import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import type { Account, AccountStatus, AuditEvent } from '../../domain/account';

/** Returns a column of text. */
export const text = (length: number, name?: string) =>
  ({ type: 'varchar', length, ...(name ? { name } : {}) }) as const;
const nullableText = (length: number, name?: string) => ({ ...text(length, name), nullable: true });
/** PostgreSQL returns 64-bit integers as text; totals stay far below 2^53. */
export const total = { type: 'bigint', transformer: { to: (n: number) => n, from: Number } } as const;
const nullableInteger = (name: string) => ({ name, type: 'integer', nullable: true }) as const;

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn(text(36)) id!: string;
  /** Null for a trial. */
  @Column({ ...nullableText(254), unique: true }) email!: string | null;
  @Column(text(16)) status!: AccountStatus;
  @Column({ name: 'created_at', type: Date }) createdAt!: Date;
  @Column(total) images!: number;
  @Column({ name: 'bytes_in', ...total }) bytesIn!: number;
  @Column({ name: 'bytes_saved', ...total }) bytesSaved!: number;
  /** Images per month; null if the quota of the service applies. */
  @Column(nullableInteger('quota_images')) quotaImages!: number | null;
  /** Images left in a trial; null for other accounts, like the next column. */
  @Column(nullableInteger('trial_images_left')) trialImagesLeft!: number | null;
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
  /** In UTC, such as `2026-11`. */
  @PrimaryColumn(text(7)) month!: string;
  @PrimaryColumn(text(36, 'key_id')) keyId!: string;
  @Column(total) images!: number;
  @Column({ name: 'bytes_in', ...total }) bytesIn!: number;
  @Column({ name: 'bytes_saved', ...total }) bytesSaved!: number;
  @Column(total) variants!: number;
}

/** The audit trail. The database refuses to change its rows. */
@Entity('audit')
export class AuditEntity {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: Date }) at!: Date;
  @Column(text(32)) event!: AuditEvent;
  @Column(text(36, 'account_id')) accountId!: string;
  @Column(nullableText(36, 'key_id')) keyId!: string | null;
  @Column(nullableText(64)) detail!: string | null;
  @Column(text(128, 'actor')) by!: string;
  @Column(nullableText(64)) address!: string | null;
}

type Nullable<Row> = { [Name in keyof Row]: null extends Row[Name] ? Name : never }[keyof Row];

/** A row whose columns that are null are absent. */
export type Present<Row> = Omit<Row, Nullable<Row>> & { [Name in Nullable<Row>]?: NonNullable<Row[Name]> };

export function present<Row extends object>(row: Row): Present<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>;
}

export function toAccount({ trialImagesLeft, trialExpiresAt: expiresAt, ...row }: AccountEntity): Account {
  const { images, bytesIn, bytesSaved, ...facts } = row;
  return {
    ...present(facts),
    usage: { images, bytesIn, bytesSaved },
    ...(trialImagesLeft !== null && expiresAt
      ? { trial: { imagesLeft: Math.max(0, trialImagesLeft), expiresAt } }
      : {}),
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
