/** Finds the data after a JPEG by content: offsets in the Multi-Picture index are often wrong in edited files. */
import type { RemovedData } from '../../../contract/report-words';
import { asBuffer, text } from '../bytes';
import { holdsVideo, knownData, unknownData, type FoundData } from '../embedded-data';
import { TiffReader } from '../tiff';
import { isGainMap, MP_ENTRIES_TAG, MP_ENTRY_BYTES } from './gain-map';
import { isMpf, isXmp, MPF_HEADER, readJpegFile, type JpegSegment } from './jpeg-segments';

export interface TrailingData {
  /** A complete JPEG, as stored. */
  readonly gainMap?: Uint8Array | undefined;
  readonly hasVideo: boolean;
  /** Whether there are images besides previews: a second view, a depth map, another gain map. */
  readonly hasOtherPictures: boolean;
  /** Other data than these. */
  readonly data?: readonly FoundData[];
}

export function removedTrailingData(
  { gainMap, hasVideo, hasOtherPictures }: TrailingData,
  keepsGainMap: boolean,
): RemovedData[] {
  return [
    ...(hasVideo ? (['motion-video'] as const) : []),
    ...(hasOtherPictures ? (['other-pictures'] as const) : []),
    ...(gainMap && !keepsGainMap ? (['gain-map'] as const) : []),
  ];
}

const MAX_PICTURES = 16;
/** First byte of the MP type codes of previews, "large thumbnails" (CIPA DC-007, table 4). */
const PREVIEW_CLASS = 0x01;
const KNOWN_ITEMS = new Set(['Primary', 'GainMap', 'MotionPhoto']);

export function readTrailingData(
  bytes: Uint8Array,
  segments: readonly JpegSegment[],
  end: number,
): TrailingData {
  const index = multiPictureIndex(bytes, segments);
  const { pictures, rest } = picturesBehind(bytes, end, [...index.keys()]);
  const gainMaps = [...pictures.values()].filter(isGainMap);
  const others = [...pictures].filter(
    ([at, picture]) =>
      !gainMaps.includes(picture) && (index.size === 0 || index.has(at)) && index.get(at) !== PREVIEW_CLASS,
  );
  const hasVideo = holdsVideo(rest);
  return {
    gainMap: gainMaps.at(0),
    hasVideo,
    data: hasVideo ? [] : dataIn(rest),
    hasOtherPictures: others.length > 0 || gainMaps.length > 1 || namesUnknownItems(segments),
  };
}

/** Ends of the notes that Samsung's cameras, Photo Mechanic, FotoStation and Nikon's programs append (list: ExifTool, JPEG.pm). */
const NOTES = /(?:SEFT|QDIOBS|cbipcbbl|\xa1\xb2\xc3\xd4|\/NIKON APP)[\0\s]*$/;
const NOTES_END_BYTES = 1024;

function dataIn(rest: Buffer): FoundData[] {
  if (rest.includes('DepthMap', 0, 'latin1')) return [knownData('depth')];
  const isNote = NOTES.test(text(rest, Math.max(0, rest.length - NOTES_END_BYTES)));
  return isNote || rest.every((byte) => byte <= 0x20) ? [] : [unknownData(rest.length)];
}

/** Returns the JPEGs after the first one, and those found only through the index, by position, and the rest. */
function picturesBehind(
  bytes: Uint8Array,
  end: number,
  indexed: readonly number[],
): { pictures: Map<number, Uint8Array>; rest: Buffer } {
  const pictures = new Map<number, Uint8Array>();
  const take = (start: number) => {
    const behind = bytes.subarray(start);
    const picture = behind.subarray(0, readJpegFile(behind).end);
    pictures.set(start, picture);
    return start + picture.length;
  };
  let at = end;
  while (at < bytes.length && pictures.size < MAX_PICTURES) {
    if (bytes[at] === 0) at++;
    else if (startsPicture(bytes, at)) at = take(at);
    else break;
  }
  const rest = asBuffer(bytes.subarray(at));
  for (const offset of [...indexed].sort((a, b) => a - b)) {
    // Only in ascending order, so that an index with overlapping images costs no more than the length of the file.
    if (offset < at || pictures.size >= MAX_PICTURES || !startsPicture(bytes, offset)) continue;
    at = take(offset);
  }
  return { pictures, rest };
}

function startsPicture(bytes: Uint8Array, at: number) {
  return bytes[at] === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff;
}

function multiPictureIndex(bytes: Uint8Array, segments: readonly JpegSegment[]) {
  const index = new Map<number, number>();
  const payload = segments.find(isMpf)?.payload;
  const tiff = payload && TiffReader.open(payload.subarray(MPF_HEADER.length));
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

function namesUnknownItems(segments: readonly JpegSegment[]) {
  return segments.filter(isXmp).some(({ payload }) => {
    const items = [...text(payload).matchAll(/Item:Semantic(?:="|>)\s*(\w+)/g)];
    return items.some(([, semantic]) => !KNOWN_ITEMS.has(semantic));
  });
}
