/**
 * Accounts, and the keys that belong to them. An account has a sign-up with an e-mail address, or is a trial
 * without one, the operator's, or one of the configuration. The rules here need no database.
 */
import type { Usage } from './usage';

/** Keys of a suspended account are refused; its usage and keys stay. */
export type AccountStatus = 'active' | 'suspended';

/** Trials work until `expiresAt`, and for `imagesLeft` more images; whichever ends first. */
export interface Trial {
  readonly imagesLeft: number;
  readonly expiresAt: Date;
}

export interface Account {
  readonly id: string;
  /** Absent for a trial. */
  readonly email?: string;
  readonly status: AccountStatus;
  readonly createdAt: Date;
  /** Totals since the account was created. */
  readonly usage: Usage;
  readonly trial?: Trial;
}

/** The operator's account, in place of an e-mail address. Without a dot after the @, nobody can sign up with it. */
export const OPERATOR = 'operator@localhost';

const CONFIGURED = '@configured';

/** Returns what an account of the configuration has in place of an e-mail address. Nobody can sign up with it. */
export function configuredName(name: string): string {
  return `${name}${CONFIGURED}`;
}

/** Whether it belongs to the configuration, so that only API_KEYS_FILE changes it. */
export function isConfigured({ email }: Pick<Account, 'email'>): boolean {
  return email?.endsWith(CONFIGURED) ?? false;
}

/** Returns an active account without usage. @param facts replace these defaults */
export function newAccount(facts: Partial<Account> & Pick<Account, 'id'>): Account {
  const usage = { images: 0, bytesIn: 0, bytesSaved: 0 };
  return { status: 'active', createdAt: new Date(), usage, ...facts };
}

/** How long a trial lasts. Expired ones are deleted a day later. */
export const TRIAL_MS = 24 * 3_600_000;

/** A key as it is stored: its digest, never its text. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly digest: string;
  readonly displayPrefix: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
}

/** Enough for several machines and key rotation. Without a limit one account could fill the disk with keys. */
export const MAX_ACTIVE_KEYS = 20;
/** The newest revoked keys stay in the list, so that a client can see when a key was revoked; older ones are deleted when a key is added. */
export const MAX_REVOKED_KEYS = 20;

/** The form that is stored and compared. */
export function normalisedEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns whether the text looks like an e-mail address, of at most 254 characters (RFC 5321). */
export function isPlausibleEmail(email: string): boolean {
  return email.length <= 254 && /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u.test(email);
}

/**
 * Whether the text is a UUID in lower case, the form of all ids. Checked before an id from a client reaches a
 * query.
 */
export function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}

/** Who changes an account or a key, for the log. */
export interface Actor {
  /** `visitor` for a sign-up, `key:ID` for a client, `user:NAME` for the command line, `first-start` for the operator's account. */
  readonly actor: string;
  readonly address?: string;
}
