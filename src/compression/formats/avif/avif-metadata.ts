/** Adds metadata to a still AVIF (ISO/IEC 14496-12 and 23008-12), whose boxes libheif and libavif write in version 0. */
import type { EmbeddedBlocks } from '../embedded-blocks';
import { box, boxesIn, fullBox, type Box, itemLocations, writeItemLocations } from './boxes';

const XMP_TYPE = 'application/rdf+xml';
/** Position of the TIFF header in an EXIF item: it follows immediately (ISO/IEC 23008-12, A.2.1). */
const TIFF_OFFSET = Buffer.alloc(4);
const EMPTY = { content: Buffer.alloc(4), raw: Buffer.alloc(0) };

interface NewItem {
  readonly id: number;
  readonly entry: Uint8Array;
  readonly data: Uint8Array;
}

/** @throws Error when it is not a still image without metadata */
export function withAvifMetadata(avif: Uint8Array, { icc, exif, xmp }: EmbeddedBlocks): Uint8Array {
  if (!icc && !exif && !xmp) return avif;
  const top = boxesIn(avif, 0);
  const meta = one(top, 'meta');
  const children = boxesIn(meta.content, 4);
  if (!children.some(({ type }) => type === 'iref')) children.push({ type: 'iref', ...EMPTY });
  const primary = versionZero(one(children, 'pitm')).readUInt16BE(4);
  const locations = itemLocations(one(children, 'iloc'));
  const firstId = Math.max(...locations.map(({ id }) => id)) + 1;
  const items: NewItem[] = [];
  if (exif) items.push(newItem(firstId, 'Exif', Buffer.concat([TIFF_OFFSET, exif])));
  if (xmp) items.push(newItem(firstId + items.length, 'mime', xmp));
  // As if they followed the old file, behind the header of their box.
  let offset = avif.length + 8;
  for (const { id, data } of items) {
    locations.push({ id, extents: [{ offset, length: data.length }] });
    offset += data.length;
  }
  const rewritten = (shift: number) =>
    box('meta', [
      meta.content.subarray(0, 4),
      ...children.map((child) => {
        if (child.type === 'iloc') return writeItemLocations(locations, shift);
        if (child.type === 'iinf') return withItemEntries(child, items);
        if (child.type === 'iprp' && icc) return withProfile(child, icc, primary);
        return child.type === 'iref' ? withReferences(versionZero(child), items, primary) : child.raw;
      }),
    ]);
  // The length of the box does not depend on the positions in it.
  const shift = rewritten(0).length - meta.raw.length;
  const parts = top.map((part) => (part.type === 'meta' ? rewritten(shift) : part.raw));
  const added = items.map(({ data }) => data);
  return Buffer.concat(items.length > 0 ? [...parts, box('mdat', added)] : parts);
}

function one(boxes: readonly Box[], type: string): Box {
  const found = boxes.filter((candidate) => candidate.type === type);
  if (found.length !== 1) throw new Error(`The AVIF has ${found.length} boxes ${type} instead of one.`);
  return found[0];
}

function versionZero({ type, content }: Box): Buffer {
  if (content.readUInt32BE(0) !== 0) throw new Error(`The box ${type} of the AVIF has an unknown version.`);
  return content;
}

function newItem(id: number, type: 'Exif' | 'mime', data: Uint8Array): NewItem {
  const entry = Buffer.alloc(8);
  entry.writeUInt16BE(id);
  entry.write(type, 4, 'latin1');
  const names = type === 'mime' ? `\0${XMP_TYPE}\0` : '\0';
  return { id, data, entry: fullBox('infe', 2, 1, [entry, Buffer.from(names, 'latin1')]) };
}

function withItemEntries(iinf: Box, items: readonly NewItem[]): Uint8Array {
  const content = versionZero(iinf);
  const count = Buffer.alloc(2);
  count.writeUInt16BE(content.readUInt16BE(4) + items.length);
  return fullBox('iinf', 0, 0, [count, content.subarray(6), ...items.map(({ entry }) => entry)]);
}

function withReferences(content: Buffer, items: readonly NewItem[], primary: number): Uint8Array {
  const references = items.map(({ id }) => {
    const reference = Buffer.alloc(6);
    [id, 1, primary].forEach((value, i) => reference.writeUInt16BE(value, i * 2));
    return box('cdsc', [reference]);
  });
  return box('iref', [content, ...references]);
}

function withProfile({ content }: Box, icc: Uint8Array, primary: number): Uint8Array {
  const parts = boxesIn(content, 0);
  const properties = one(parts, 'ipco');
  const colour = box('colr', [Buffer.from('prof', 'latin1'), icc]);
  const index = boxesIn(properties.content, 0).length + 1;
  return box(
    'iprp',
    parts.map((part) => {
      if (part.type === 'ipco') return box('ipco', [part.content, colour]);
      return part.type === 'ipma' ? withAssociation(versionZero(part), primary, index) : part.raw;
    }),
  );
}

function withAssociation(content: Buffer, primary: number, index: number): Uint8Array {
  const parts: Uint8Array[] = [content.subarray(4, 8)];
  for (let at = 8, left = content.readUInt32BE(4); left > 0; left--) {
    const id = content.readUInt16BE(at);
    const count = content[at + 2];
    const entry = Buffer.from(content.subarray(at, at + 3 + count));
    parts.push(entry);
    if (id === primary) {
      entry[2] = count + 1;
      parts.push(Buffer.of(index));
    }
    at += entry.length;
  }
  return fullBox('ipma', 0, 0, parts);
}
