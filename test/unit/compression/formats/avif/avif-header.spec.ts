/** Heads that would cost the service process more time or memory than any real file. */
import { readAvifHeader } from '../../../../../src/compression/formats/avif/avif-header';
import { readAvifItems } from '../../../../../src/compression/formats/avif/avif-items';
import { box, fullBox, writeItemLocations } from '../../../../../src/compression/formats/avif/boxes';
import { uint16s, uint32s } from '../../../../../src/compression/formats/bytes';

/** An AV1 unit with the sequence header of a still image of 64 by 64 pixels, and one without content. */
const SEQUENCE = Buffer.from('0a0718157ffc010000', 'hex');
const EMPTY_UNIT = Buffer.from('7a00', 'hex');

interface Parts {
  readonly data?: Uint8Array;
  /** After the size. */
  readonly property?: Uint8Array;
  readonly entries?: number;
  readonly tables?: number;
  /** Images that belong to the image and have the property. */
  readonly auxiliary?: number;
}

function avif({ data = SEQUENCE, property, entries = 1, tables = 1, auxiliary = 0 }: Parts): Uint8Array {
  const size = fullBox('ispe', 0, 0, [uint32s(64, 64)]);
  const entry = fullBox('infe', 2, 0, [uint16s(1, 0), Buffer.from('av01\0')]);
  // Of 255 properties, most of which are none.
  const indexes = Buffer.alloc(255);
  indexes.set(property ? [1, 2] : [1]);
  const links = Buffer.concat([uint16s(1), Buffer.of(255), indexes]);
  const linked = fullBox('ipma', 0, 0, [uint32s(100), ...new Array<Uint8Array>(100).fill(links)]);
  const ids = Array.from({ length: auxiliary }, (_, i) => i + 2);
  const theirs = ids.map((id) => Buffer.concat([uint16s(id), Buffer.of(1, 2)]));
  const linkedToo = fullBox('ipma', 0, 0, [uint32s(auxiliary), ...theirs]);
  const references = ids.map((id) => box('auxl', [uint16s(id, 1, 1)]));
  const properties = box('ipco', [size, ...(property ? [property] : [])]);
  const meta = (start: number) =>
    fullBox('meta', 0, 0, [
      fullBox('pitm', 0, 0, [uint16s(1)]),
      writeItemLocations([{ id: 1, data }], start),
      fullBox('iinf', 0, 0, [uint16s(entries), ...new Array<Uint8Array>(entries).fill(entry)]),
      fullBox('iref', 0, 0, references),
      box('iprp', [properties, linkedToo, ...new Array<Uint8Array>(tables).fill(linked)]),
    ]);
  const type = box('ftyp', [Buffer.from('avif\0\0\0\0avif')]);
  const head = meta(type.length + meta(0).length + 8);
  return Buffer.concat([type, head, box('mdat', [data])]);
}

const units = (count: number) => Buffer.concat([...new Array<Buffer>(count).fill(EMPTY_UNIT), SEQUENCE]);
const depth = fullBox('auxC', 0, 0, [Buffer.from('urn:mpeg:hevc:2015:auxid:2\0')]);
const irot = (bytes: number) => box('irot', [Buffer.alloc(bytes - 8)]);

it.each<[string, Parts, Parts]>([
  ['the tables of items', { tables: 5 }, { tables: 6 }],
  ['the properties of items', { property: irot(1024) }, { property: irot(1025) }],
  ['auxiliary images', { property: depth, auxiliary: 16 }, { property: depth, auxiliary: 17 }],
  ['what precedes the sequence header', { data: units(16) }, { data: units(17) }],
])('%s are bounded', (_, most, more) => {
  expect(readAvifHeader(avif(most)).dimensions).toEqual({ width: 64, height: 64 });
  expect(() => readAvifHeader(avif(more))).toThrow('The AVIF cannot be decoded');
});

it('an item that is listed often is read once', () => {
  expect(readAvifItems(avif({ entries: 1_000 })).items).toHaveLength(1);
});
