/**
 * API keys: `ics_` + 27 random characters + 6 of checksum, all base62. The random part carries
 * 27 · log2(62) = 160.8 bits. The checksum (CRC-32 of what precedes it) tells a mistyped key from an unknown
 * one without asking the store; it protects nothing else.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'ics_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
/** How much of a key is stored and shown to tell keys apart: the prefix and 6 characters (36 bits stay away from
 * anybody's guess: 125 remain). */
const DISPLAY_LENGTH = PREFIX.length + 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key; the only place where its text exists. */
export function generateApiKey(): string {
  let body = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i++) body += BASE62[randomInt(BASE62.length)];
  return body + checksum(body);
}

/** Whether the text can be a key at all: right shape, right checksum. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksum(body);
}

/** SHA-256 in hexadecimal: what is stored of a key. Fast hashing is enough for 160 random bits. */
export function digestOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** The beginning of a key, shown in lists. */
export function displayPrefixOf(apiKey: string): string {
  return apiKey.slice(0, DISPLAY_LENGTH);
}

/** Compares two digests in a time that does not tell where they differ. */
export function digestsMatch(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}
