/**
 * HDR gain maps: a small JPEG after the main image, which readers scale to the size of the main image. It stays unchanged when the
 * main image is compressed or scaled. The main image is then not rotated, because its EXIF orientation applies to both.
 * Readers find the map through the index of images (Multi-Picture Format, CIPA DC-007: Apple, Adobe, ISO 21496-1) or an XMP
 * directory (GContainer: Ultra HDR), and its parameters in segments of the map.
 */
import { TYPE, writeTiff } from '../tiff';
import { APP1, APP13, APP2, COM, ISO_GAIN_MAP_HEADER, MPF_HEADER, XMP_HEADER } from './jpeg-markers';
import { endOfJfif, readJpegHead, withoutSegments, withSegments, type JpegSegment } from './jpeg-segments';
import { isExif, isNamed, xmpOf } from './named-segments';

const ADOBE_GAIN_MAP = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap';
const APPLE_HEADROOM = 'HDRGainMapHeadroom';
/** MP type codes of the main image, and of an image whose own segments state its purpose. */
const BASELINE_PRIMARY = 0x030000;
const UNDEFINED_TYPE = 0;
/** Size of the marker and the length field of a segment. */
const SEGMENT_HEADER_BYTES = 4;

export function isGainMap(jpeg: Uint8Array): boolean {
  const { segments } = readJpegHead(jpeg);
  const hasIsoMetadata = segments.some((segment) => isNamed(segment, APP2, ISO_GAIN_MAP_HEADER));
  const xmp = packetOf(segments);
  return hasIsoMetadata || xmp.includes(ADOBE_GAIN_MAP) || xmp.includes(APPLE_GAIN_MAP);
}

/** Returns whether an Apple gain map does not state its headroom. Older iPhones store it only in the main image's maker note. */
export function lacksAppleHeadroom(gainMap: Uint8Array): boolean {
  const xmp = packetOf(readJpegHead(gainMap).segments);
  return xmp.includes(APPLE_GAIN_MAP) && !xmp.includes(APPLE_HEADROOM);
}

/** Returns the map without its metadata about camera, place and person. */
export function withoutPrivateSegments(gainMap: Uint8Array): Uint8Array {
  return withoutSegments(
    gainMap,
    (segment) => segment.marker === COM || segment.marker === APP13 || isExif(segment),
  );
}

/** Returns the XMP directory through which Ultra HDR readers find the map; undefined for other kinds of maps. */
export function gainMapDirectory(gainMap: Uint8Array): JpegSegment | undefined {
  const xmp = packetOf(readJpegHead(gainMap).segments);
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

/** Returns the JPEG with these segments, an index of both images, and the map appended. */
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
  const entries = Buffer.alloc(32);
  [BASELINE_PRIMARY, size, 0, 0, UNDEFINED_TYPE, mapSize, mapOffset, 0].forEach((value, i) =>
    entries.writeUInt32BE(value, i * 4),
  );
  const tiff = writeTiff([
    { tag: 0xb000, type: TYPE.undefined, value: Buffer.from('0100', 'latin1') },
    { tag: 0xb001, type: TYPE.long, value: Buffer.from([0, 0, 0, 2]) },
    { tag: 0xb002, type: TYPE.undefined, value: entries },
  ]);
  return { marker: APP2, payload: Buffer.concat([Buffer.from(MPF_HEADER, 'latin1'), tiff]) };
}

function packetOf(segments: readonly JpegSegment[]): string {
  return Buffer.from(xmpOf(segments) ?? []).toString('latin1');
}
