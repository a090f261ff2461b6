/** Text chunks (W3C PNG, 11.3.3): tEXt in Latin-1, zTXt deflated, iTXt in UTF-8 and optionally deflated; and metadata in them. */
import { deflateSync, inflateSync } from 'node:zlib';
import { text } from '../bytes';
import { pngChunk, type PngChunk } from './png-chunks';

const TEXT_CHUNKS = ['tEXt', 'zTXt', 'iTXt'];
const XMP_KEYWORD = 'XML:com.adobe.xmp';
const MAX_KEYWORD_BYTES = 79;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

export function isText({ type }: PngChunk): boolean {
  return TEXT_CHUNKS.includes(type);
}

export function readKeyword({ data }: PngChunk): string {
  return text(data, 0, Math.max(0, data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0)));
}

/** Adobe demands iTXt; libvips, for example, writes zTXt. */
export function isXmp(chunk: PngChunk): boolean {
  return isText(chunk) && readKeyword(chunk) === XMP_KEYWORD;
}

export function readText({ type, data }: PngChunk): Buffer | undefined {
  const keywordEnd = data.indexOf(0) + 1;
  if (keywordEnd === 0) return undefined;
  const isUtf8 = type === 'iTXt';
  const isDeflated = type === 'zTXt' || (isUtf8 && data[keywordEnd] === 1);
  // Flag and method, then language and translated keyword, each terminated by a zero.
  const languageEnd = isUtf8 ? data.indexOf(0, keywordEnd + 2) + 1 : 0;
  const translationEnd = languageEnd > 0 ? data.indexOf(0, languageEnd) + 1 : 0;
  if (isUtf8 && translationEnd === 0) return undefined;
  const value = data.subarray(isUtf8 ? translationEnd : keywordEnd + (isDeflated ? 1 : 0));
  try {
    return isDeflated ? inflateSync(value, { maxOutputLength: MAX_TEXT_BYTES }) : Buffer.from(value);
  } catch {
    return undefined;
  }
}

export function xmpChunk(packet: Uint8Array, isDeflated = false): PngChunk {
  const head = Buffer.from(`${XMP_KEYWORD}\0${isDeflated ? '\x01' : '\0'}\0\0\0`, 'latin1');
  return pngChunk('iTXt', Buffer.concat([head, isDeflated ? deflateSync(packet) : packet]));
}

/** EXIF, XMP and IPTC as text, in ImageMagick's form: a name, the number of bytes, and the bytes in hexadecimal. */
const PROFILE_KEYWORD = /^Raw profile type (exif|app1|xmp|iptc|8bim)$/i;
const PROFILE = /^\n?(\w[\w ]{0,30})\n *\d{1,10}\n([\s\da-f]*)$/i;
const EXIF_PREFIX = 'Exif\0\0';
const XMP_PREFIX = 'http://ns.adobe.com/xap/1.0/\0';

interface RawProfile {
  /** The last is Photoshop's resources, or unknown. */
  readonly kind: 'exif' | 'xmp' | 'other';
  readonly block: Uint8Array;
}

export function isRawProfile(chunk: PngChunk): boolean {
  return isText(chunk) && PROFILE_KEYWORD.test(readKeyword(chunk));
}

export function readRawProfile(chunk: PngChunk): RawProfile | undefined {
  const [, name, hex] = PROFILE.exec(readText(chunk)?.toString('latin1') ?? '') ?? [];
  if (!name) return undefined;
  const block = Buffer.from(hex.replace(/\s+/g, ''), 'hex');
  const starts = (prefix: string) => text(block, 0, prefix.length) === prefix;
  if (starts(EXIF_PREFIX)) return { kind: 'exif', block: block.subarray(EXIF_PREFIX.length) };
  if (starts(XMP_PREFIX)) return { kind: 'xmp', block: block.subarray(XMP_PREFIX.length) };
  return { kind: /xmp$/i.test(name) ? 'xmp' : 'other', block };
}
