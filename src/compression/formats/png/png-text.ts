/** Text chunks (W3C PNG, 11.3.3): tEXt in Latin-1, zTXt deflated, iTXt in UTF-8 and optionally deflated; and metadata in them. */
import { deflateSync, inflateSync } from 'node:zlib';
import { text } from '../byte-reader';
import { pngChunk, type PngChunk } from './png-chunks';
import { orientationOf } from '../exif-fields';
import { updatedExif } from '../exif-update';
import { PHOTOSHOP_HEADER, updatedResources } from '../jpeg/photoshop-resources';
import { isReshaped, type WrittenMetadata } from '../reshaping';
import { updatedXmp } from '../xmp';

const TEXT_CHUNKS = ['tEXt', 'zTXt', 'iTXt'];
/** Keywords of text about the file, not about persons or places. */
export const HARMLESS_KEYWORD = /^(?:Software|Comment|Disclaimer|Warning|(?:date|icc):.*)$/i;
const XMP_KEYWORD = 'XML:com.adobe.xmp';
const MAX_KEYWORD_BYTES = 79;
/** Limit for inflating; real texts and profiles are smaller. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

export interface PngText {
  readonly value: Buffer;
  /** The chunk up to its value. */
  readonly head: Uint8Array;
  readonly isDeflated: boolean;
}

export function isText({ type }: PngChunk): boolean {
  return TEXT_CHUNKS.includes(type);
}

export function keywordOf({ data }: PngChunk): string {
  return text(data, 0, Math.max(0, data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0)));
}

export function isXmp(chunk: PngChunk): boolean {
  return chunk.type === 'iTXt' && keywordOf(chunk) === XMP_KEYWORD;
}

/** Returns the value of a text chunk; undefined if it is damaged or too long. */
export function readText({ type, data }: PngChunk): PngText | undefined {
  const keywordEnd = data.indexOf(0) + 1;
  if (keywordEnd === 0) return undefined;
  const isUtf8 = type === 'iTXt';
  const isDeflated = type === 'zTXt' || (isUtf8 && data[keywordEnd] === 1);
  // Flag and method, then language and translated keyword, each terminated by a zero.
  const languageEnd = isUtf8 ? data.indexOf(0, keywordEnd + 2) + 1 : 0;
  const translationEnd = languageEnd > 0 ? data.indexOf(0, languageEnd) + 1 : 0;
  if (isUtf8 && translationEnd === 0) return undefined;
  const at = isUtf8 ? translationEnd : keywordEnd + (isDeflated ? 1 : 0);
  const stored = data.subarray(at);
  try {
    const value = isDeflated
      ? inflateSync(stored, { maxOutputLength: MAX_TEXT_BYTES })
      : Buffer.from(stored.buffer, stored.byteOffset, stored.length);
    return { value, head: data.subarray(0, at), isDeflated };
  } catch {
    return undefined;
  }
}

/** Returns the chunk with another value, deflated if the old one was. */
export function withValue({ type }: PngChunk, { head, isDeflated }: PngText, value: Uint8Array): PngChunk {
  return pngChunk(type, Buffer.concat([head, isDeflated ? deflateSync(value) : value]));
}

export function xmpChunk(packet: Uint8Array): PngChunk {
  return pngChunk('iTXt', Buffer.concat([Buffer.from(`${XMP_KEYWORD}\0\0\0\0\0`, 'latin1'), packet]));
}

/** EXIF, XMP and IPTC as text, in ImageMagick's form: a name, the number of bytes, and the bytes in hexadecimal. */
const RAW_PROFILE_KEYWORD = /^Raw profile type (exif|app1|xmp|iptc|8bim)$/i;
const RAW_PROFILE = /^\n?(\w[\w ]{0,30})\n *\d{1,10}\n([\s\da-f]*)$/i;
const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1');
const XMP_PREFIX = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const RESOURCE = Buffer.from('8BIM', 'latin1');
const RESOURCES_PREFIX = Buffer.from(PHOTOSHOP_HEADER, 'latin1');
const BYTES_PER_LINE = 36;

export interface RawProfile {
  readonly kind: 'exif' | 'xmp' | 'resources' | 'other';
  /** The bytes before the block; resources have none here and get the prefix of APP13. */
  readonly prefix: Uint8Array;
  readonly block: Uint8Array;
  readonly name: string;
  readonly text: PngText;
}

export function isRawProfile(chunk: PngChunk): boolean {
  return isText(chunk) && RAW_PROFILE_KEYWORD.test(keywordOf(chunk));
}

/** Returns the profile in a chunk; undefined if it is unreadable. */
export function readRawProfile(chunk: PngChunk): RawProfile | undefined {
  const text = readText(chunk);
  const found = text && RAW_PROFILE.exec(text.value.toString('latin1'));
  if (!found) return undefined;
  const bytes = Buffer.from(found[2].replace(/\s+/g, ''), 'hex');
  const after = (prefix: Buffer) => ({ prefix, block: bytes.subarray(prefix.length) });
  const starts = (prefix: Buffer) => bytes.subarray(0, prefix.length).equals(prefix);
  const shared = { name: found[1], text };
  if (starts(EXIF_PREFIX)) return { ...shared, kind: 'exif', ...after(EXIF_PREFIX) };
  if (starts(XMP_PREFIX)) return { ...shared, kind: 'xmp', ...after(XMP_PREFIX) };
  const bare = { ...shared, prefix: new Uint8Array(), block: bytes };
  if (starts(RESOURCE))
    return { ...bare, kind: 'resources', block: Buffer.concat([RESOURCES_PREFIX, bytes]) };
  return { ...bare, kind: /xmp$/i.test(found[1]) ? 'xmp' : 'other' };
}

/** Returns the chunk with the data that apply to the new pixels; empty if that is unknown. */
export function updatedRawProfile(chunk: PngChunk, written: WrittenMetadata): PngChunk[] {
  const profile = readRawProfile(chunk);
  if (!profile || profile.kind === 'other') return isReshaped(written.reshaped) ? [] : [chunk];
  const block = updatedBlock(profile, written);
  if (!block) return [];
  if (Buffer.compare(block, profile.block) === 0) return [chunk];
  const bytes =
    profile.kind === 'resources'
      ? block.subarray(RESOURCES_PREFIX.length)
      : Buffer.concat([profile.prefix, block]);
  return [withValue(chunk, profile.text, inHexadecimal(profile.name, bytes))];
}

function updatedBlock({ kind, block }: RawProfile, written: WrittenMetadata): Uint8Array | undefined {
  if (kind === 'resources') return updatedResources(block, written.reshaped);
  if (kind === 'xmp') return updatedXmp(block, written);
  // Few readers apply an orientation stored here. It stays unless the pixels were rotated.
  const isTurned = (written.reshaped?.applied ?? 1) !== 1;
  return updatedExif(block, isTurned ? written : { ...written, orientation: orientationOf(block) });
}

function inHexadecimal(name: string, bytes: Uint8Array): Uint8Array {
  const hex = Buffer.from(bytes).toString('hex');
  const lines = hex.match(new RegExp(`.{1,${BYTES_PER_LINE * 2}}`, 'g')) ?? [];
  return Buffer.from(`\n${name}\n${String(bytes.length).padStart(8)}\n${lines.join('\n')}\n`, 'latin1');
}
