/**
 * HDR gain maps: a small JPEG behind the picture, which readers stretch over it, whatever the two sizes are. It stays
 * as it is while the picture is compressed or scaled (which is not turned then: the orientation counts for both).
 * Readers look for it in the index of pictures (Multi-Picture Format, CIPA DC-007: Apple, Adobe, ISO 21496-1) or in the
 * directory in XMP (GContainer: Ultra HDR), and for what it means in segments of its own.
 */
import { text } from '../byte-reader';
import { TYPE, writeTiff } from '../tiff';
import {
  APP1,
  APP13,
  APP2,
  COM,
  EXIF_HEADER,
  isApplicationSegment,
  ISO_GAIN_MAP_HEADER,
  MPF_HEADER,
  XMP_HEADER,
} from './jpeg-markers';
import {
  behindJfif,
  segmentsBeforeScan,
  withoutSegments,
  withSegments,
  type JpegSegment,
} from './jpeg-segments';

const ADOBE_GAIN_MAP = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const APPLE_GAIN_MAP = 'urn:com:apple:photo:2020:aux:hdrgainmap';
const APPLE_HEADROOM = 'HDRGainMapHeadroom';
/** Type code of the main picture, and of one whose use its own segments tell. */
const BASELINE_PRIMARY = 0x030000;
const UNDEFINED_TYPE = 0;
/** Marker and length of a segment. */
const SEGMENT_HEADER_BYTES = 4;

export function isGainMap(jpeg: Uint8Array): boolean {
  const hasIsoMetadata = segmentsBeforeScan(jpeg, (marker) => marker === APP2).some(
    ({ payload }) => text(payload, 0, ISO_GAIN_MAP_HEADER.length) === ISO_GAIN_MAP_HEADER,
  );
  const xmp = xmpOf(jpeg);
  return hasIsoMetadata || xmp.includes(ADOBE_GAIN_MAP) || xmp.includes(APPLE_GAIN_MAP);
}

/** Older phones of Apple tell how bright a map may become in the maker note of the main picture only. */
export function lacksAppleHeadroom(gainMap: Uint8Array): boolean {
  const xmp = xmpOf(gainMap);
  return xmp.includes(APPLE_GAIN_MAP) && !xmp.includes(APPLE_HEADROOM);
}

/** The map without what its own file says of camera, place and person. */
export function withoutPrivateSegments(gainMap: Uint8Array): Uint8Array {
  return withoutSegments(
    gainMap,
    ({ marker, payload }) =>
      marker === COM ||
      marker === APP13 ||
      (marker === APP1 && text(payload, 0, EXIF_HEADER.length) === EXIF_HEADER),
  );
}

/** The directory by which readers of Ultra HDR find a map; undefined for maps of other kinds. */
export function gainMapDirectory(gainMap: Uint8Array): JpegSegment | undefined {
  const xmp = xmpOf(gainMap);
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

/** A JPEG with its segments, an index of two pictures, and the map behind its end. */
export function withGainMap(
  jpeg: Uint8Array,
  segments: readonly JpegSegment[],
  gainMap: Uint8Array,
): Uint8Array {
  const withoutIndex = withSegments(jpeg, segments);
  // Positions in the index count from its own byte order mark.
  const indexAt = behindJfif(jpeg) + (withoutIndex.length - jpeg.length);
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

function xmpOf(jpeg: Uint8Array): string {
  const packet = segmentsBeforeScan(jpeg, isApplicationSegment).find(
    ({ marker, payload }) => marker === APP1 && text(payload, 0, XMP_HEADER.length) === XMP_HEADER,
  );
  return packet ? Buffer.from(packet.payload).toString('latin1') : '';
}
