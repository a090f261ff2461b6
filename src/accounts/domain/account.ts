/** Who may compress, and what was done for them. */

export type AccountStatus = 'active' | 'suspended';

export interface Usage {
  /** Images answered with 200. */
  readonly images: number;
  readonly bytesIn: number;
  readonly bytesSaved: number;
}

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly status: AccountStatus;
  readonly createdAt: Date;
  readonly usage: Usage;
}

/** A key as it is stored: never its text. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly digest: string;
  readonly displayPrefix: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
}

/** E-mail addresses are compared in lower case: nobody means two accounts by two spellings. */
export function normalisedEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * One @, no spaces or control characters, a dot in the domain, at most 254 characters (RFC 5321): the rest only a
 * mail can tell.
 */
export function isPlausibleEmail(email: string): boolean {
  return email.length <= 254 && /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u.test(email);
}

/** Ids are random UUIDs; anything else need not be looked up. */
export function isId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}
