/**
 * Finds the data after the end marker of a JPEG, where phones store HDR gain maps, previews, depth maps and videos, and writes gain
 * maps there. It recognises the data by their content. The index of the Multi-Picture Format (CIPA DC-007) only states the purpose of
 * an image, because its offsets are often wrong in edited files.
 */
import type { Companions } from '../../domain/compression-policy';
import { TiffReader, TYPE, writeTiff } from '../tiff';
import {
  APP1,
  APP13,
  APP2,
  COM,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  XMP_HEADER,
  isExif,
  isNamed,
  isXmp,
  readJpegFile,
  readJpegHead,
  xmpOf,
  type JpegSegment,
} from './jpeg-segments';
import { endOfJfif, withSegments, withoutSegments } from './segment-writer';

/** Maximum number of further images to look for. */
const MAX_PICTURES = 16;
export const MP_ENTRIES_TAG = 0xb002;
export const MP_ENTRY_BYTES = 16;
/** First byte of the MP type codes of previews, "large thumbnails" (CIPA DC-007, table 4). */
const PREVIEW_CLASS = 0x01;
/** Semantics of GContainer items that this service handles. */
const KNOWN_ITEMS = new Set(['Primary', 'GainMap', 'MotionPhoto']);

/**
 * Returns the data of the file after its image.
 * @param segments application segments of the image before its first scan
 * @param end position at which the image ends, before the end of the file
 */
export function readCompanions(bytes: Uint8Array, segments: readonly JpegSegment[], end: number): Companions {
  const index = multiPictureIndex(bytes, segments);
  const { pictures, rest } = picturesBehind(bytes, end, [...index.keys()]);
  const gainMaps = [...pictures.values()].filter(isGainMap);
  const others = [...pictures].filter(
    ([at, picture]) => !gainMaps.includes(picture) && index.has(at) && index.get(at) !== PREVIEW_CLASS,
  );
  return {
    gainMap: gainMaps.at(0),
    // Every MP4 and QuickTime file begins with an `ftyp` box; some vendors store other data before it.
    hasVideo: Buffer.from(rest.buffer, rest.byteOffset, rest.length).includes('ftyp', 0, 'latin1'),
    hasOtherPictures: others.length > 0 || gainMaps.length > 1 || namesUnknownItems(segments),
  };
}

/** Returns the JPEGs after the first one, by position, then JPEGs found only through the index, and the bytes after them. */
function picturesBehind(
  bytes: Uint8Array,
  end: number,
  indexed: readonly number[],
): { pictures: Map<number, Uint8Array>; rest: Uint8Array } {
  const pictures = new Map<number, Uint8Array>();
  const take = (start: number): number => {
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
  const rest = bytes.subarray(at);
  for (const offset of [...indexed].sort((a, b) => a - b)) {
    // Only in ascending order, so that an index with overlapping images costs no more than the length of the file.
    if (offset < at || pictures.size >= MAX_PICTURES || !startsPicture(bytes, offset)) continue;
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
  const payload = segments.find((one) => isNamed(one, APP2, MPF_HEADER))?.payload;
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

function namesUnknownItems(segments: readonly JpegSegment[]): boolean {
  return segments.filter(isXmp).some(({ payload }) => {
    const packet = Buffer.from(payload).toString('latin1');
    const items = [...packet.matchAll(/Item:Semantic(?:="|>)\s*(\w+)/g)];
    return items.some(([, semantic]) => !KNOWN_ITEMS.has(semantic));
  });
}

const ADOBE_GAIN_MAP = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap';
const APPLE_HEADROOM = 'HDRGainMapHeadroom';
/** MP type codes of the main image, and of an image whose own segments state its purpose. */
const BASELINE_PRIMARY = 0x030000;
const UNDEFINED_TYPE = 0;
/** Size of the marker and the length field of a segment. */
const SEGMENT_HEADER_BYTES = 4;

/**
 * Returns whether a JPEG is an HDR gain map, which readers scale to the size of the main image. Its segments hold its parameters.
 * @public The fuzz target calls it.
 */
export function isGainMap(jpeg: Uint8Array): boolean {
  const xmp = packetOf(jpeg);
  if (xmp.includes(ADOBE_GAIN_MAP) || xmp.includes(APPLE_GAIN_MAP)) return true;
  return readJpegHead(jpeg).segments.some((segment) => isNamed(segment, APP2, ISO_GAIN_MAP_HEADER));
}

/** Returns whether an Apple gain map does not state its headroom. Older iPhones store it only in the main image's maker note. */
export function lacksAppleHeadroom(gainMap: Uint8Array): boolean {
  const xmp = packetOf(gainMap);
  return xmp.includes(APPLE_GAIN_MAP) && !xmp.includes(APPLE_HEADROOM);
}

/** Returns the map without its metadata about camera, place and person. */
export function withoutPrivateSegments(gainMap: Uint8Array): Uint8Array {
  const isPrivate = (one: JpegSegment) => one.marker === COM || one.marker === APP13 || isExif(one);
  return withoutSegments(gainMap, isPrivate);
}

/** Returns the XMP directory through which Ultra HDR readers find the map; undefined for other kinds of maps. */
export function gainMapDirectory(gainMap: Uint8Array): JpegSegment | undefined {
  const xmp = packetOf(gainMap);
  if (!xmp.includes(ADOBE_GAIN_MAP)) return undefined;
  const version = /hdrgm:Version(?:="|>)([\d.]+)/.exec(xmp)?.[1] ?? '1.0';
  const item = (properties: string) =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${properties}/></rdf:li>`;
  const packet = [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""',
    ' xmlns:Container="http://ns.google.com/photos/1.0/container/"',
    ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"',
    ` xmlns:hdrgm="${ADOBE_GAIN_MAP}" hdrgm:Version="${version}">`,
    '<Container:Directory><rdf:Seq>',
    item('Item:Semantic="Primary"'),
    item(`Item:Semantic="GainMap" Item:Length="${gainMap.length}"`),
    '</rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>',
  ];
  return { marker: APP1, payload: Buffer.from(XMP_HEADER + packet.join(''), 'latin1') };
}

/**
 * Returns the JPEG with these segments, an index of both images, and the map appended. Readers find the map through the index
 * (Multi-Picture Format, CIPA DC-007: Apple, Adobe, ISO 21496-1) or an XMP directory (GContainer: Ultra HDR).
 *
 * The map stays unchanged when the main image is compressed or scaled. The main image is not rotated, because its EXIF orientation
 * applies to both.
 */
export function withGainMap(
  jpeg: Uint8Array,
  segments: readonly JpegSegment[],
  gainMap: Uint8Array,
): Uint8Array {
  const withoutIndex = withSegments(jpeg, segments);
  // Offsets in the index are relative to its byte order mark.
  const indexAt = endOfJfif(jpeg) + (withoutIndex.length - jpeg.length);
  const origin = indexAt + SEGMENT_HEADER_BYTES + MPF_HEADER.length;
  const size = withoutIndex.length + SEGMENT_HEADER_BYTES + pictureIndex(0, 0, 0).payload.length;
  const index = pictureIndex(size, gainMap.length, size - origin);
  return Buffer.concat([withSegments(jpeg, [...segments, index]), gainMap]);
}

function pictureIndex(size: number, mapSize: number, mapOffset: number): JpegSegment {
  const entries = Buffer.alloc(2 * MP_ENTRY_BYTES);
  [BASELINE_PRIMARY, size, 0, 0, UNDEFINED_TYPE, mapSize, mapOffset, 0].forEach((value, i) =>
    entries.writeUInt32BE(value, i * 4),
  );
  const tiff = writeTiff([
    { tag: 0xb000, type: TYPE.undefined, value: Buffer.from('0100', 'latin1') },
    { tag: 0xb001, type: TYPE.long, value: Buffer.from([0, 0, 0, 2]) },
    { tag: MP_ENTRIES_TAG, type: TYPE.undefined, value: entries },
  ]);
  return { marker: APP2, payload: Buffer.concat([Buffer.from(MPF_HEADER, 'latin1'), tiff]) };
}

function packetOf(jpeg: Uint8Array): string {
  return Buffer.from(xmpOf(readJpegHead(jpeg).segments) ?? []).toString('latin1');
}
