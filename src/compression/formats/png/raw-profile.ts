/** EXIF, XMP and IPTC as text in a PNG, in ImageMagick's form: a name, the number of bytes, and the bytes in hexadecimal. */
import { orientationOf } from '../exif-orientation';
import { updatedExif } from '../exif-update';
import { PHOTOSHOP_HEADER, updatedResources } from '../jpeg/photoshop-resources';
import { isReshaped, type WrittenMetadata } from '../reshaping';
import { updatedXmp } from '../xmp';
import type { PngChunk } from './png-chunks';
import { isText, keywordOf, readText, withValue, type PngText } from './png-text';

const KEYWORD = /^Raw profile type (exif|app1|xmp|iptc|8bim)$/i;
const WRITTEN = /^\n?(\w[\w ]{0,30})\n *\d{1,10}\n([\s\da-f]*)$/i;
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
  return isText(chunk) && KEYWORD.test(keywordOf(chunk));
}

/** Returns the profile in a chunk; undefined if it is unreadable. */
export function readRawProfile(chunk: PngChunk): RawProfile | undefined {
  const text = readText(chunk);
  const found = text && WRITTEN.exec(text.value.toString('latin1'));
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
