/** Reads the items of an AVIF (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12): the image, what belongs to it, and metadata. */
import { text } from '../bytes';
import { boxesIn, itemLocations, type Box } from './boxes';

export const XMP_TYPE = 'application/rdf+xml';
/** Bytes of all tables of items. 400 tiles take 20 kB; hostile files would have millions of entries. */
const MAX_TABLE_BYTES = 128 * 1024;
/** The data that are copied, because they lie in several pieces, may be this many times as long as the file. */
const MOST_SHARED = 2;
const TABLES = ['iloc', 'iinf', 'iref', 'ipma'];
/** Properties that are read for each item that has them: numbers, and a URN. */
const SHORT = ['irot', 'imir', 'clap', 'auxC'];
const MAX_SHORT_BYTES = 1024;

export interface Item {
  readonly id: number;
  readonly type: string;
  /** For the type `mime`. */
  readonly contentType: string;
  /** The entry in `iinf`. */
  readonly raw: Buffer;
  /** @throws RangeError when the file is cut off */
  data(): Uint8Array;
}

interface Reference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
  readonly raw: Buffer;
}

export interface AvifItems {
  readonly top: readonly Box[];
  readonly meta: Box;
  /** Of `meta`. */
  readonly children: readonly Box[];
  readonly primary: number;
  readonly items: readonly Item[];
  readonly references: readonly Reference[];
  /** Of an item, in the order in which they are applied. */
  readonly properties: (id: number) => Box[];
  /** Takes properties of these types off an item. Changes the bytes that were read, not what `properties` returns. */
  readonly unlink: (id: number, types: readonly string[]) => void;
}

/** @throws Error when a box that is needed is missing, damaged or of an unknown version */
export function readAvifItems(avif: Uint8Array): AvifItems {
  const top = boxesIn(avif, 0);
  const meta = one(top, 'meta');
  const children = boxesIn(meta.content, 4);
  const iprp = boxesIn(one(children, 'iprp').content, 0);
  const tables = [...children, ...iprp].filter(({ type }) => TABLES.includes(type));
  if (tables.reduce((sum, { raw }) => sum + raw.length, 0) > MAX_TABLE_BYTES)
    throw new Error('There are too many items.');
  const known = boxesIn(one(iprp, 'ipco').content, 0);
  if (known.some(({ type, raw }) => SHORT.includes(type) && raw.length > MAX_SHORT_BYTES))
    throw new Error('A property is too long.');
  const used = new Map(iprp.filter(({ type }) => type === 'ipma').flatMap(readAssociations));
  const inMeta = children.find(({ type }) => type === 'idat')?.content ?? Buffer.alloc(0);
  const locations = new Map(itemLocations(one(children, 'iloc')).map((location) => [location.id, location]));
  const sourceOf = (isInMeta: boolean) => (isInMeta ? inMeta : avif);
  // One piece is not copied.
  const copied = [...locations.values()].filter(({ extents }) => extents.length > 1);
  const lengths = copied.flatMap(({ extents, isInMeta }) =>
    extents.map(({ length }) => length || sourceOf(isInMeta).length),
  );
  if (lengths.reduce((sum, length) => sum + length, 0) > MOST_SHARED * avif.length)
    throw new Error('The items overlap.');
  const dataOf = (id: number) => {
    const { extents = [], isInMeta = false } = locations.get(id) ?? {};
    const whole = sourceOf(isInMeta);
    const parts = extents.map(({ offset, length }) => {
      if (offset + length > whole.length) throw new RangeError('The file is cut off.');
      // Without a length, all that follows; but without an offset either, ExifTool has removed the item.
      return whole.subarray(offset, length > 0 || offset === 0 ? offset + length : undefined);
    });
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  };
  const entries = itemEntries(one(children, 'iinf')).flatMap((entry) => readEntry(entry) ?? []);
  // Repeated entries would have the same data.
  const items = [...new Map(entries.map((item) => [item.id, item])).values()].map((item) => ({
    ...item,
    data: () => dataOf(item.id),
  }));
  // In a sequence, GPAC names no primary item.
  const isUnnamed = top.some(({ type }) => type === 'moov') && !children.some(({ type }) => type === 'pitm');
  return {
    top,
    meta,
    children,
    primary: isUnnamed
      ? (items.find(({ type }) => type === 'av01') ?? items[0]).id
      : readNumber(one(children, 'pitm').content, 4),
    items,
    references: children.filter(({ type }) => type === 'iref').flatMap(readReferences),
    properties: (id) => (used.get(id) ?? []).flatMap(({ index }) => known[index - 1] ?? []),
    unlink: (id, types) => {
      for (const { index, clear } of used.get(id) ?? []) if (types.includes(known[index - 1]?.type)) clear();
    },
  };
}

export function one(boxes: readonly Box[], type: string): Box {
  const found = boxes.filter((candidate) => candidate.type === type);
  if (found.length !== 1) throw new Error(`The AVIF has ${found.length} boxes ${type} instead of one.`);
  return found[0];
}

export function isMetadata({ type }: Pick<Item, 'type'>): boolean {
  return type === 'Exif' || type === 'mime';
}

export function isXmp({ type, contentType }: Item): boolean {
  return type === 'mime' && contentType === XMP_TYPE;
}

/** An item number: of 16 bits in version 0, of 32 in others. */
function readNumber(content: Buffer, at: number) {
  return content.readUIntBE(at, content[0] === 0 ? 2 : 4);
}

function itemEntries({ content }: Box) {
  return boxesIn(content, content[0] === 0 ? 6 : 8).filter(({ type }) => type === 'infe');
}

/** Versions 2 and 3 (ISO/IEC 14496-12, 8.11.6). */
function readEntry({ content, raw }: Box): Omit<Item, 'data'> | undefined {
  const idBytes = { 2: 2, 3: 4 }[content[0]];
  if (idBytes === undefined) return undefined;
  const at = 6 + idBytes;
  const [, contentType = ''] = text(content, at + 4).split('\0');
  return { id: content.readUIntBE(4, idBytes), type: text(content, at, at + 4), contentType, raw };
}

function readReferences({ content }: Box): Reference[] {
  const bytes = content[0] === 0 ? 2 : 4;
  return boxesIn(content, 4).map(({ type, content: of, raw }) => ({
    type,
    from: of.readUIntBE(0, bytes),
    to: Array.from({ length: of.readUInt16BE(bytes) }, (_, i) => of.readUIntBE(bytes + 2 + i * bytes, bytes)),
    raw,
  }));
}

interface Association {
  /** Of a property, counted from 1. */
  readonly index: number;
  /** Writes 0, which stands for no property. */
  readonly clear: () => void;
}

function readAssociations({ content }: Box): (readonly [id: number, properties: readonly Association[]])[] {
  const idBytes = content[0] === 0 ? 2 : 4;
  const indexBytes = (content[3] & 1) + 1;
  const mask = indexBytes === 2 ? 0x7fff : 0x7f;
  let at = 8;
  return Array.from({ length: Math.min(content.readUInt32BE(4), content.length) }, () => {
    const first = at + idBytes + 1;
    const count = content.readUInt8(first - 1);
    const id = content.readUIntBE(at, idBytes);
    at = first + count * indexBytes;
    const read = (_: unknown, i: number): Association => {
      const place = first + i * indexBytes;
      const index = content.readUIntBE(place, indexBytes) & mask;
      return { index, clear: () => content.writeUIntBE(0, place, indexBytes) };
    };
    return [id, Array.from({ length: count }, read)];
  });
}
