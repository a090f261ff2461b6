/** Converts between database rows and domain types. */
import type { StoredAuditEntry } from '../../application/account-repository.port';
import type { Account, StoredKey } from '../../domain/account';
import type { AuditEntry } from '../../domain/audit';
import type { AccountEntity } from './account.entity';
import type { ApiKeyEntity } from './api-key.entity';
import type { AuditEntity } from './audit.entity';

export function toAccount({
  images,
  bytesIn,
  bytesSaved,
  email,
  quotaImages,
  trialImagesLeft,
  trialExpiresAt: expiresAt,
  ...rest
}: AccountEntity): Account {
  return {
    ...rest,
    ...(email === null ? {} : { email }),
    usage: { images, bytesIn, bytesSaved },
    ...(quotaImages === null ? {} : { quotaImages }),
    ...(trialImagesLeft !== null && expiresAt
      ? { trial: { imagesLeft: Math.max(0, trialImagesLeft), expiresAt } }
      : {}),
  };
}

export function toAccountRow({ usage, email, quotaImages, trial, ...rest }: Account): AccountEntity {
  return {
    ...rest,
    ...usage,
    email: email ?? null,
    quotaImages: quotaImages ?? null,
    trialImagesLeft: trial?.imagesLeft ?? null,
    trialExpiresAt: trial?.expiresAt ?? null,
  };
}

export function toKey({
  id,
  accountId,
  digest,
  displayPrefix,
  createdAt,
  revokedAt,
}: ApiKeyEntity): StoredKey {
  return { id, accountId, digest, displayPrefix, createdAt, ...(revokedAt ? { revokedAt } : {}) };
}

export function toRow(key: StoredKey): Omit<ApiKeyEntity, 'account'> {
  return { ...key, revokedAt: key.revokedAt ?? null };
}

export function toAuditEntry({ id, keyId, detail, address, ...rest }: AuditEntity): StoredAuditEntry {
  return {
    ...rest,
    id,
    ...(keyId === null ? {} : { keyId }),
    ...(detail === null ? {} : { detail }),
    ...(address === null ? {} : { address }),
  };
}

export function toAuditRow({ at, event, accountId, by, ...facts }: AuditEntry): Omit<AuditEntity, 'id'> {
  const { keyId = null, detail = null, address = null } = facts;
  return { at, event, accountId, keyId, detail, by, address };
}
