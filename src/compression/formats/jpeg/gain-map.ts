/** HDR gain maps: small images with which HDR displays brighten another one. */
import { text, uint32s } from '../bytes';
import { TYPE, writeTiff } from '../tiff';
import { xmpNames, type XmpPart } from '../xmp';
import {
  APP13,
  APP2,
  COM,
  MPF_HEADER,
  isExif,
  isIsoGainMap,
  readJpegHead,
  findXmp,
  type JpegSegment,
} from './jpeg-segments';
import { endOfJfif, withSegments, withoutSegments } from './segment-writer';

/** The list of images in the index of the Multi-Picture Format. */
export const MP_ENTRIES_TAG = 0xb002;
export const MP_ENTRY_BYTES = 16;
const ADOBE_GAIN_MAP = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap';
const APPLE_HEADROOM = 'HDRGainMapHeadroom';
/** MP type codes of the main image, and of an image whose own segments state its purpose. */
const BASELINE_PRIMARY = 0x030000;
const UNDEFINED_TYPE = 0;
const SEGMENT_HEADER_BYTES = 4;

export function isGainMap(jpeg: Uint8Array): boolean {
  const xmp = findPacket(jpeg);
  if (xmp.includes(ADOBE_GAIN_MAP) || xmp.includes(APPLE_GAIN_MAP)) return true;
  return readJpegHead(jpeg).segments.some(isIsoGainMap);
}

/** Older iPhones store the headroom of an Apple gain map only in the maker note of the main image. */
export function lacksAppleHeadroom(gainMap: Uint8Array): boolean {
  const xmp = findPacket(gainMap);
  return xmp.includes(APPLE_GAIN_MAP) && !xmp.includes(APPLE_HEADROOM);
}

export function withoutPrivateSegments(gainMap: Uint8Array): Uint8Array {
  const isPrivate = (one: JpegSegment) => one.marker === COM || one.marker === APP13 || isExif(one);
  return withoutSegments(gainMap, isPrivate);
}

/** Ultra HDR readers find the map through this XMP directory; there is none for other kinds of maps. */
export function gainMapDirectory(gainMap: Uint8Array): XmpPart[] {
  const xmp = findPacket(gainMap);
  if (!xmp.includes(ADOBE_GAIN_MAP)) return [];
  const version = /hdrgm:Version(?:="|>)([\d.]+)/.exec(xmp)?.[1] ?? '1.0';
  const item = (properties: string) =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${properties}/></rdf:li>`;
  const items =
    item('Item:Semantic="Primary"') + item(`Item:Semantic="GainMap" Item:Length="${gainMap.length}"`);
  return [
    {
      attributes:
        ' xmlns:Container="http://ns.google.com/photos/1.0/container/"' +
        ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"' +
        ` xmlns:hdrgm="${ADOBE_GAIN_MAP}" hdrgm:Version="${version}"`,
      elements: `<Container:Directory><rdf:Seq>${items}</rdf:Seq></Container:Directory>`,
    },
  ];
}

const DIRECTORY_NAME =
  /^(?:(?:x|rdf|xml|xmlns|hdrgm):[\w.-]+|Item:(?:Mime|Semantic|Length|Padding)|Container:(?:Directory|Item)|Iptc4xmpExt:DigitalSourceType)$/;

/** Whether a packet holds nothing but the directory, and how the image was made. */
export function isGainMapDirectory(packet: Uint8Array): boolean {
  return xmpNames(text(packet)).every((name) => DIRECTORY_NAME.test(name));
}

/**
 * Appends the map and an index of both images, through which readers find it (CIPA DC-007: Apple, Adobe, ISO 21496-1).
 * The main image must not be rotated: its EXIF orientation applies to both.
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
  const entries = uint32s(BASELINE_PRIMARY, size, 0, 0, UNDEFINED_TYPE, mapSize, mapOffset, 0);
  const tiff = writeTiff([
    { tag: 0xb000, type: TYPE.undefined, value: Buffer.from('0100', 'latin1') },
    { tag: 0xb001, type: TYPE.long, value: uint32s(2) },
    { tag: MP_ENTRIES_TAG, type: TYPE.undefined, value: entries },
  ]);
  return { marker: APP2, payload: Buffer.concat([Buffer.from(MPF_HEADER, 'latin1'), tiff]) };
}

function findPacket(jpeg: Uint8Array) {
  return text(findXmp(readJpegHead(jpeg).segments) ?? new Uint8Array());
}
