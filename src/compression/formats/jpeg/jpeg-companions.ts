/**
 * Finds the data after the end marker of a JPEG, where phones store HDR gain maps, previews, depth maps and videos. It recognises
 * them by their content. The index of the Multi-Picture Format (CIPA DC-007) only states the purpose of an image, because its
 * offsets are often wrong in edited files.
 */
import type { Companions } from '../../domain/companion-rule';
import { TiffReader } from '../tiff';
import { isGainMap } from './gain-map';
import { APP2, MPF_HEADER } from './jpeg-markers';
import { readJpegFile, type JpegSegment } from './jpeg-segments';
import { isNamed, isXmp } from './named-segments';

/** Maximum number of further images to look for. */
const MAX_PICTURES = 16;
export const MP_ENTRIES_TAG = 0xb002;
export const MP_ENTRY_BYTES = 16;
/** First byte of the MP type codes of previews, "large thumbnails" (CIPA DC-007, table 4). */
const PREVIEW_CLASS = 0x01;
/** Semantics of GContainer items that this service handles. */
const KNOWN_ITEMS = new Set(['Primary', 'GainMap', 'MotionPhoto']);

/**
 * Returns the data of the file besides its image.
 * @param segments application segments of the image before its first scan
 * @param end position at which the image ends
 */
export function readCompanions(bytes: Uint8Array, segments: readonly JpegSegment[], end: number): Companions {
  const index = multiPictureIndex(bytes, segments);
  const { pictures, rest } = picturesBehind(bytes, end, [...index.keys()]);
  const gainMaps = pictures.filter(({ picture }) => isGainMap(picture));
  const others = pictures.filter(
    (one) => !gainMaps.includes(one) && index.has(one.at) && index.get(one.at) !== PREVIEW_CLASS,
  );
  const gainMap = gainMaps.at(0)?.picture;
  return {
    ...(gainMap ? { gainMap } : {}),
    // Every MP4 and QuickTime file begins with an `ftyp` box; some vendors store other data before it.
    hasVideo: Buffer.from(rest.buffer, rest.byteOffset, rest.length).includes('ftyp', 0, 'latin1'),
    hasOtherPictures:
      others.length > 0 || gainMaps.length > 1 || (end < bytes.length && namesUnknownItems(segments)),
  };
}

interface PictureBehind {
  readonly at: number;
  readonly picture: Uint8Array;
}

/** Returns the JPEGs after the first one, then JPEGs found only through the index, and the bytes after them. */
function picturesBehind(
  bytes: Uint8Array,
  end: number,
  indexed: readonly number[],
): { pictures: PictureBehind[]; rest: Uint8Array } {
  const pictures: PictureBehind[] = [];
  const take = (start: number): number => {
    const behind = bytes.subarray(start);
    const picture = behind.subarray(0, readJpegFile(behind).end);
    pictures.push({ at: start, picture });
    return start + picture.length;
  };
  let at = end;
  while (at < bytes.length && pictures.length < MAX_PICTURES) {
    if (bytes[at] === 0) at++;
    else if (startsPicture(bytes, at)) at = take(at);
    else break;
  }
  const rest = bytes.subarray(at);
  for (const offset of [...indexed].sort((a, b) => a - b)) {
    // Only in ascending order, so that an index with overlapping images costs no more than the length of the file.
    if (offset < at || pictures.length >= MAX_PICTURES || !startsPicture(bytes, offset)) continue;
    at = take(offset);
  }
  return { pictures, rest };
}

function startsPicture(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff;
}

/** Returns the first byte of the MP type code of each further image in the index, by position; empty without an index. */
function multiPictureIndex(bytes: Uint8Array, segments: readonly JpegSegment[]): Map<number, number> {
  const index = new Map<number, number>();
  const segment = segments.find((one) => isNamed(one, APP2, MPF_HEADER));
  const tiff = segment && TiffReader.open(segment.payload.subarray(4));
  const entries = tiff?.directory().entries.get(MP_ENTRIES_TAG);
  if (!tiff || !entries) return index;
  // Offsets are relative to the byte order mark of the index.
  const base = tiff.bytes.byteOffset - bytes.byteOffset;
  const count = Math.min(MAX_PICTURES, Math.floor(entries.byteLength / MP_ENTRY_BYTES));
  for (let i = 1; i < count; i++) {
    const entry = entries.at + i * MP_ENTRY_BYTES;
    index.set(base + tiff.uint32(entry + 8), (tiff.uint32(entry) >> 16) & 0xff);
  }
  return index;
}

function namesUnknownItems(segments: readonly JpegSegment[]): boolean {
  return segments
    .filter(isXmp)
    .flatMap(({ payload }) => [
      ...Buffer.from(payload)
        .toString('latin1')
        .matchAll(/Item:Semantic(?:="|>)\s*(\w+)/g),
    ])
    .some(([, semantic]) => !KNOWN_ITEMS.has(semantic));
}
