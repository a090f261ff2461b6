/** JPEG files with data after the image, as written by phones and cameras, made in code. */
import sharp from 'sharp';
import { uint32s } from '../../src/compression/formats/bytes';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import type { JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { TYPE, writeTiff } from '../../src/compression/formats/tiff';

export const latin1 = (text: string) => Buffer.from(text, 'latin1');

export const xmpSegment = (properties: string): JpegSegment => ({
  marker: 0xe1,
  payload: latin1(
    `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${properties}</rdf:RDF></x:xmpmeta>`,
  ),
});

export const isoGainMapSegment = (data: Uint8Array): JpegSegment => ({
  marker: 0xe2,
  payload: Buffer.concat([latin1('urn:iso:std:iso:ts:21496:-1\0'), data]),
});

/** Versions and flags; then fractions: two headrooms, and least and greatest gain, gamma and two offsets (annex C). */
function isoMetadata(): Buffer {
  return Buffer.concat([Buffer.of(0, 0, 0, 0, 0x40), uint32s(0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64)]);
}

const ADOBE = 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"';

/** The kinds of metadata of gain maps. */
export const GAIN_MAP_KINDS = {
  'Ultra HDR': [xmpSegment(`<rdf:Description ${ADOBE} hdrgm:GainMapMax="2.3" hdrgm:HDRCapacityMax="2.3"/>`)],
  Apple: [
    xmpSegment(
      '<rdf:Description xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/"><apdi:AuxiliaryImageType>urn:com:apple:photo:2020:aux:hdrgainmap</apdi:AuxiliaryImageType><HDRGainMap:HDRGainMapVersion>65536</HDRGainMap:HDRGainMapVersion></rdf:Description>',
    ),
  ],
  'ISO 21496-1': [isoGainMapSegment(isoMetadata())],
};

/** A small grey image, brighter on the left, which reveals rotation. */
export async function smallPicture(
  segments: readonly JpegSegment[] = [],
  width = 48,
  height = 32,
): Promise<Buffer> {
  const data = Uint8Array.from({ length: width * height }, (_, i) => 255 - ((i % width) * 255) / width);
  const jpeg = await sharp(data, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .jpeg()
    .toBuffer();
  return Buffer.from(withSegments(jpeg, segments));
}

export function directorySegment(semantic: string, length: number): JpegSegment {
  const item = (rest: string) =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${rest}/></rdf:li>`;
  return xmpSegment(
    `<rdf:Description xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/" ${ADOBE}><Container:Directory><rdf:Seq>${item('Item:Semantic="Primary"')}${item(`Item:Semantic="${semantic}" Item:Length="${length}"`)}</rdf:Seq></Container:Directory></rdf:Description>`,
  );
}

/** An image followed by others, with the index of the Multi-Picture Format. @param types code of each further image */
export function multiPicture(
  jpeg: Uint8Array,
  others: readonly { readonly picture: Uint8Array; readonly type: number }[],
): Buffer {
  const index = (size: number, origin: number): JpegSegment => {
    const entries = [uint32s(0x030000, size, 0, 0)];
    let at = size;
    for (const { picture, type } of others) {
      entries.push(uint32s(type, picture.length, at - origin, 0));
      at += picture.length;
    }
    const tiff = writeTiff([
      { tag: 0xb000, type: TYPE.undefined, value: latin1('0100') },
      { tag: 0xb001, type: TYPE.long, value: uint32s(others.length + 1) },
      { tag: 0xb002, type: TYPE.undefined, value: Buffer.concat(entries) },
    ]);
    return { marker: 0xe2, payload: Buffer.concat([latin1('MPF\0'), tiff]) };
  };
  const draft = withSegments(jpeg, [index(0, 0)]);
  const origin = Buffer.from(draft).indexOf('MPF\0') + 4;
  return Buffer.concat([withSegments(jpeg, [index(draft.length, origin)]), ...others.map((o) => o.picture)]);
}

/** A file with gain maps behind its image, whose metadata say what they are. */
export const withGainMaps = (jpeg: Uint8Array, ...maps: readonly Uint8Array[]) =>
  multiPicture(
    jpeg,
    maps.map((picture) => ({ picture, type: 0 })),
  );

export const ultraHdrMap = () => smallPicture(GAIN_MAP_KINDS['Ultra HDR']);

export const motionVideo = Buffer.concat([
  Buffer.of(0, 0, 0, 24),
  latin1('ftypmp42\0\0\0\0mp42isom'),
  Buffer.alloc(3000, 5),
]);

/** Returns all images that a reader of the Multi-Picture Format finds, by the offsets of the index. */
export function picturesByIndex(file: Uint8Array): Buffer[] {
  const bytes = Buffer.from(file);
  const origin = bytes.indexOf('MPF\0') + 4;
  if (origin < 4) return [];
  // Parsed independently of our own reader: the third entry of the directory is the list.
  const isLittleEndian = bytes.toString('latin1', origin, origin + 2) === 'II';
  const uint32 = (at: number) => (isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const entry = origin + 8 + 2 + 2 * 12;
  const list = origin + uint32(entry + 8);
  return Array.from({ length: uint32(entry + 4) / 16 }, (_, i) => {
    const [size, offset] = [uint32(list + i * 16 + 4), uint32(list + i * 16 + 8)];
    const start = i === 0 ? 0 : origin + offset;
    return bytes.subarray(start, start + size);
  });
}
