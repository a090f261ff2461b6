/** Converts between database rows and domain types. */
import type { Account } from '../../domain/account';
import type { AccountEntity } from './account.entity';

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
