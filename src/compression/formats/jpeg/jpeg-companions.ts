/**
 * What a JPEG file carries besides its picture: behind the end marker, where most software never looks. Phones put HDR
 * gain maps, previews, depth maps and films there. Found by what the bytes are; the index of the Multi-Picture Format
 * (CIPA DC-007) only says what a picture is for, because its offsets are often wrong in files that were edited.
 */
import { text } from '../byte-reader';
import { TiffReader } from '../tiff';
import { isGainMap } from './gain-map';
import { APP1, APP2, MPF_HEADER, XMP_HEADER } from './jpeg-markers';
import { endOfPicture, type JpegSegment } from './jpeg-segments';

/** More pictures than this behind one are not looked for. */
const MAX_PICTURES = 16;
const MP_ENTRIES_TAG = 0xb002;
const MP_ENTRY_BYTES = 16;
/** MP type codes of large thumbnails begin with 1 (CIPA DC-007, table 4). */
const PREVIEW_CLASS = 0x01;
/** What XMP may call things behind the picture that are handled here (Google's GContainer). */
const KNOWN_ITEMS = new Set(['Primary', 'GainMap', 'MotionPhoto']);

export interface Companions {
  /** The map that turns the picture into an HDR one: a JPEG of its own, as stored. */
  readonly gainMap?: Uint8Array;
  /** A film (motion photo). */
  readonly hasVideo: boolean;
  /** Pictures that are no previews of this one: a second view, a depth map, a further gain map. */
  readonly hasOtherPictures: boolean;
}

/** @param segments of the picture: its application segments before the scan. */
export function readCompanions(bytes: Uint8Array, segments: readonly JpegSegment[]): Companions {
  const end = endOfPicture(bytes);
  const index = multiPictureIndex(bytes, segments);
  const { pictures, rest } = picturesBehind(bytes, end, [...index.keys()]);
  const gainMaps = pictures.filter(({ picture }) => isGainMap(picture));
  const others = pictures.filter(
    ({ at, picture }) => !isGainMap(picture) && index.has(at) && index.get(at) !== PREVIEW_CLASS,
  );
  const gainMap = gainMaps.at(0)?.picture;
  return {
    ...(gainMap ? { gainMap } : {}),
    // The type box that every MP4 and QuickTime file begins with; some makers put other data before it.
    hasVideo: Buffer.from(rest.buffer, rest.byteOffset, rest.length).includes('ftyp', 0, 'latin1'),
    hasOtherPictures:
      others.length > 0 || gainMaps.length > 1 || (end < bytes.length && namesUnknownItems(segments)),
  };
}

interface PictureBehind {
  readonly at: number;
  readonly picture: Uint8Array;
}

/** JPEGs one after the other behind the first, then those that only the index knows; and what comes behind them. */
function picturesBehind(
  bytes: Uint8Array,
  end: number,
  indexed: readonly number[],
): { pictures: PictureBehind[]; rest: Uint8Array } {
  const pictures: PictureBehind[] = [];
  const take = (start: number): number => {
    const picture = bytes.subarray(start, start + endOfPicture(bytes.subarray(start)));
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
    // One behind the other, so that an index of overlapping ones costs no more than the file is long.
    if (offset < at || pictures.length >= MAX_PICTURES || !startsPicture(bytes, offset)) continue;
    at = take(offset);
  }
  return { pictures, rest };
}

function startsPicture(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff;
}

/** Positions of further pictures in the file, and the class of their type; empty when there is no index. */
function multiPictureIndex(bytes: Uint8Array, segments: readonly JpegSegment[]): Map<number, number> {
  const index = new Map<number, number>();
  const segment = segments.find(
    ({ marker, payload }) => marker === APP2 && text(payload, 0, 4) === MPF_HEADER,
  );
  const tiff = segment && TiffReader.open(segment.payload.subarray(4));
  const entries = tiff?.directory().entries.get(MP_ENTRIES_TAG);
  if (!tiff || !entries) return index;
  // Offsets count from the byte order mark of the index.
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
    .filter(({ marker, payload }) => marker === APP1 && text(payload, 0, XMP_HEADER.length) === XMP_HEADER)
    .flatMap(({ payload }) => [
      ...Buffer.from(payload)
        .toString('latin1')
        .matchAll(/Item:Semantic(?:="|>)\s*(\w+)/g),
    ])
    .some(([, semantic]) => !KNOWN_ITEMS.has(semantic));
}
