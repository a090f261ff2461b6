/** Text chunks (W3C PNG, 11.3.3): tEXt in Latin-1, zTXt deflated, iTXt in UTF-8 and optionally deflated. */
import { deflateSync, inflateSync } from 'node:zlib';
import { text } from '../byte-reader';
import { pngChunk, type PngChunk } from './png-chunks';

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
