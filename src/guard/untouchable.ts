/** What must reach the upstream byte for byte: requests that are signed, counted or encoded, and images that something else describes. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';

/** Announced lengths, digests, signatures, ranges and codings, as HTTP, object stores, webhooks and upload protocols have them. */
const HEADERS =
  /^(content-encoding|trailer|content-range|content-md5|x-amz-(content-sha256|date)|x-goog-(hash|upload-.*)|x-ms-.*|x-bz-content-sha1|oc-(total-length|chunked)|x-expected-entity-length|x-file-size|x-upload-content-length|upload-.*|tus-resumable|x-mac)$|^(?!want-).*(signature|hmac|digest|checksum)/;
/**
 * They prove who sends a request, not what it holds: known schemes, and a single token of others, in which a digest would be found. Any
 * other scheme may sign the body.
 */
const TOKEN_SCHEME =
  /^((?!aws|signature|hawk|hmac)\S+( [\w.~+/-]+=*)?$|$|(basic|bearer|token|jwt|api-?key|key|session|negotiate|ntlm)\s|digest\s(?!.*\bqop\s*=\s*"?auth-int)|oauth\s(?!.*oauth_body_hash))/i;
/** It compares sizes after an upload, and deletes the file if they differ. */
const COMPARES_SIZES = /^rclone\//i;
const SIGNED_QUERY = /[?&](x-amz-signature|x-goog-signature|sig)=/i;
/**
 * Names of parameters, headers, fields and members of JSON that say that a body is a part of a file, as Dropzone, DevExtreme, Fine
 * Uploader, Flow.js, Plupload, Resumable.js and S3 have them. Not "chunky", and not the part number of a shop.
 */
const OF_A_PART =
  /(?:^|[^A-Za-z]|[a-z](?=C))[Cc]hunks?(?![a-z])|^(?:dz|total)+chunk|^chunks?(?:index|number|id|count|size)|^(?:qqpartindex|partNumber|slice_?[iI]ndex|x-(?:part-number|upload-offset))$/;
const PART_OF_A_FILE = 'a part of a file';
const MEMBER_OF_JSON = /"([\w-]{1,64})"\s*:/g;
const PART_HEADERS = /^(content-encoding|content-md5|(repr-|content-)?digest)$/;
const IDENTITY_CODING = /^(binary|7bit|8bit)$/i;

/** Returns why a request passes as it is, for the log; undefined if its images may be changed. */
export function untouchable({ headers, url = '' }: IncomingMessage): string | undefined {
  const header = Object.keys(headers).find((name) => HEADERS.test(name));
  if (header !== undefined) return `header ${header}`;
  if (/\bno-transform\b/i.test(headers['cache-control'] ?? '')) return 'no-transform';
  if (COMPARES_SIZES.test(headers['user-agent'] ?? '')) return 'rclone';
  const isSigned = !TOKEN_SCHEME.test(headers.authorization ?? '') || SIGNED_QUERY.test(url);
  if (isSigned) return 'signed';
  const parameters = new URLSearchParams(url.replace(/^[^?]*/, '')).keys();
  return [...Object.keys(headers), ...parameters].some((name) => OF_A_PART.test(name))
    ? PART_OF_A_FILE
    : undefined;
}

/** The same for a part of a form: one of them is enough. */
export function untouchablePart(headers: ReadonlyMap<string, string>): string | undefined {
  const header = [...headers.keys()].find((name) => PART_HEADERS.test(name));
  if (header !== undefined) return `header ${header} of a part`;
  const [, name = ''] = /; ?name="?([^";]*)/i.exec(headers.get('content-disposition') ?? '') ?? [];
  if (OF_A_PART.test(name)) return PART_OF_A_FILE;
  if (!IDENTITY_CODING.test(headers.get('content-transfer-encoding') ?? 'binary')) return 'encoded part';
  return /^multipart\//i.test(headers.get('content-type') ?? '') ? 'nested form' : undefined;
}

/** The same for all that a form says besides its images. */
export function untouchableText(text: string): string | undefined {
  const names = Array.from(text.matchAll(MEMBER_OF_JSON), ([, name]) => name);
  return names.some((name) => OF_A_PART.test(name)) ? PART_OF_A_FILE : undefined;
}

interface Digest {
  readonly digest: (bytes: Uint8Array) => Buffer;
  /** What in lower case may be one in hex. */
  readonly hex: RegExp;
  readonly base64: RegExp;
  /** What may be one as a decimal number; absent if it is never written so. */
  readonly decimal?: RegExp;
}

const hash = (name: string, bytes: number): Digest => ({
  digest: (image) => createHash(name).update(image).digest(),
  hex: new RegExp(`[\\da-f]{${2 * bytes}}`),
  base64: new RegExp(`[\\w+/]{${Math.ceil((bytes * 4) / 3)}}`),
});

/** Short, so that in hex only a whole word counts. */
const checksum = (compute: (bytes: Uint8Array) => number): Digest => ({
  digest: (image) => Buffer.from(compute(image).toString(16).padStart(8, '0'), 'hex'),
  hex: /(?<![\da-f])[\da-f]{8}(?![\da-f])/,
  base64: /[\w+/]{6}==/,
  decimal: /(?<!\d)\d{6,10}(?!\d)/,
});

const DIGESTS = [
  hash('md5', 16),
  hash('sha1', 20),
  hash('sha256', 32),
  hash('sha384', 48),
  hash('sha512', 64),
  checksum(crc32),
  checksum(crc32c),
];

/**
 * Returns whether a text states the length of an image, or a digest of it in hex, base64 or (CRCs) decimal: as it is, escaped as in
 * JSON or a URL, or within base64, as in tokens and policies. Computes only digests that may be there.
 */
export function descriptionsIn(written: string): (image: Uint8Array) => boolean {
  const plainly = `${written}\n${unescaped(written)}`;
  const text = [plainly, ...decoded(plainly)].join('\n');
  const lower = text.toLowerCase();
  // The alphabet for URLs has other characters.
  const plain = text.replaceAll('-', '+').replaceAll('_', '/');
  const possible = DIGESTS.filter(
    ({ hex, base64, decimal }) => hex.test(lower) || base64.test(plain) || decimal?.test(text),
  );
  const states = (number: number) => new RegExp(`(?<!\\d)${number}(?!\\d)`).test(text);
  return (image) =>
    states(image.length) ||
    possible.some(({ digest, decimal }) => {
      const bytes = digest(image);
      const unpadded = bytes.toString('base64').replaceAll('=', '');
      if (decimal && states(bytes.readUInt32BE())) return true;
      return lower.includes(bytes.toString('hex')) || plain.includes(unpadded);
    });
}

/** `\u002B` and `%2B` as `+`, and `\/` as `/`. */
function unescaped(text: string) {
  const character = (_: string, inJson?: string, inUrl = '') =>
    String.fromCharCode(parseInt(inJson ?? inUrl, 16));
  return text.replace(/\\u00([\da-f]{2})|%([\da-f]{2})/gi, character).replaceAll('\\', '');
}

/** Returns what words in base64 or its alphabet for URLs stand for. */
function decoded(text: string) {
  const words = text.match(/[\w+/-]{16,}/g) ?? [];
  return words.map((word) => Buffer.from(word, 'base64').toString('latin1'));
}

/** The polynomial of iSCSI (RFC 3720, B.4), bits reversed. */
const CASTAGNOLI = 0x82f63b78;
const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? CASTAGNOLI : 0);
  return crc;
});

function crc32c(bytes: Uint8Array) {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC32C[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}
