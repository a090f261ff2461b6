/** Converts between database rows and domain types. */
import type { Account, StoredKey } from '../../domain/account';
import type { AccountEntity } from './account.entity';
import type { ApiKeyEntity } from './api-key.entity';

export function toAccount({
  images,
  bytesIn,
  bytesSaved,
  email,
  trialImagesLeft: imagesLeft,
  trialExpiresAt: expiresAt,
  ...rest
}: AccountEntity): Account {
  return {
    ...rest,
    ...(email === null ? {} : { email }),
    usage: { images, bytesIn, bytesSaved },
    ...(imagesLeft !== null && expiresAt ? { trial: { imagesLeft, expiresAt } } : {}),
  };
}

export function toAccountRow({ usage, email, trial, ...rest }: Account): AccountEntity {
  return {
    ...rest,
    ...usage,
    email: email ?? null,
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
