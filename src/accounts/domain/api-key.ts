/** `ics_`, 27 random base62 characters (160.8 bits), and a CRC-32 of them that detects typing errors without a query. */
import { createHash, randomInt, timingSafeEqual, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { StoredKey } from './account';

const PREFIX = 'ics_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
/** Length of the prefix that is stored and listed: `ics_` and 6 random characters. The other 21 keep 125 bits. */
const DISPLAY_LENGTH = PREFIX.length + 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Returns a new key from the system's random numbers: 37 characters. */
export function generateApiKey(): string {
  let body = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i++) body += BASE62[randomInt(BASE62.length)];
  return body + checksum(body);
}

/** Whether the form and the checksum are right. This says nothing about whether the key exists. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksum(body);
}

/** Returns the stored form of a key: its SHA-256 in hexadecimal. A fast hash is safe for 160 random bits. */
export function digestKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Returns an id in the form of a UUID, derived from a text: the same in every process. */
export function idFrom(text: string): string {
  return digestKey(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
}

/** Returns the beginning that is stored and listed, by which people recognise a key. */
export function shortenKey(apiKey: string): string {
  return apiKey.slice(0, DISPLAY_LENGTH);
}

/**
 * Compares two hexadecimal digests in constant time, so that the time of a refusal reveals nothing about
 * stored ones.
 */
export function digestsMatch(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(body: string) {
  let value = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** A new key for its owner. Its text is available only here; the database has the digest. */
export interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

/** Makes a key for an account: the part to store, and the part for its owner. */
export function newKey(accountId: string): { key: StoredKey; issued: IssuedKey } {
  const apiKey = generateApiKey();
  const id = randomUUID();
  const key = {
    id,
    accountId,
    digest: digestKey(apiKey),
    displayPrefix: shortenKey(apiKey),
    createdAt: new Date(),
  };
  return { key, issued: { accountId, keyId: id, apiKey } };
}
