import assert from 'node:assert/strict';
import { load } from '../target-tools.mjs';

const { readRights, rightsFields, rightsXmp } = load('compression/formats/rights.js');
const { writeTiff } = load('compression/formats/tiff.js');
const { statesPositions, xmpPacket } = load('compression/formats/xmp.js');
const { isGainMapDirectory } = load('compression/formats/jpeg/gain-map.js');

/** The largest block that fits into a segment of a JPEG. */
const MAX_BYTES = 65_000;

const resource = (id, data) => {
  const head = Buffer.from(`8BIM\0\0\0\0\0\0\0\0`, 'latin1');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(data.length, 8);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};
const dataSet = (number, text) =>
  Buffer.concat([Buffer.of(0x1c, 2, number, 0, text.length), Buffer.from(text)]);
const packet = (properties) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description ${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;

export const resources = () => [
  resource(0x0404, Buffer.concat([dataSet(80, 'Artist'), dataSet(116, 'Owner'), dataSet(55, '20260102')])),
  Buffer.concat([resource(0x040c, Buffer.from('thumbnail')), resource(2000, Buffer.alloc(9))]),
];
export const packets = () => [
  packet('tiff:Orientation="6" exif:PixelXDimension="90" tiff:XResolution="300/1">'),
  packet(
    'xmp:CreateDate="2026-01-02"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">A &amp; B</rdf:li></rdf:Alt></dc:rights>',
  ),
  packet('><dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>'),
  packet(
    'GCamera:MotionPhoto="1"><Container:Directory><rdf:Seq><rdf:li><Container:Item Item:Semantic="GainMap" Item:Length="9"/></rdf:li></rdf:Seq></Container:Directory>',
  ),
];

export const seeds = () => [...resources(), ...packets().map((text) => Buffer.from(text))];
export const words = [
  ...['<rdf:li>', '</rdf:li>', '<dc:rights>', '</dc:rights>', 'photoshop:Credit="', '&#x41;', '&amp;'],
  ...['Item:Mime=', 'GPano:', '8BIM\x04\x04', '\x1c\x02P', 'Artist; Owner'],
];

export function fuzz(data) {
  statesPositions(data);
  isGainMapDirectory(data);
  const texts = [{ keyword: 'Author', value: data.subarray(0, 40) }];
  const rights = readRights({ xmp: data, exif: data, resources: [data], texts });
  const exif = writeTiff(rightsFields(rights));
  const xmp = xmpPacket(rightsXmp(rights));
  assert(exif.length < MAX_BYTES && (xmp?.length ?? 0) < MAX_BYTES);
  assert.equal(xmp === undefined, rights.size === 0);
  const again = readRights({ exif, xmp });
  for (const [name, found] of rights) {
    // A name of half a surrogate pair has no form in UTF-8.
    if (found.every((text) => text.isWellFormed()))
      assert.deepEqual(again.get(name)?.join('; ').slice(0, 99), found.join('; ').slice(0, 99));
  }
}
