/**
 * Adds metadata to an AVIF file (ISO/IEC 14496-12 and 23008-12): the ICC profile as a property of the image, EXIF and XMP as items
 * that describe it. Their data follow the image in a separate media box. The coded image is copied unchanged.
 */
import type { EmbeddedBlocks } from '../embedded-blocks';
import {
  box,
  boxesIn,
  fullBox,
  type Box,
  itemLocations,
  writeItemLocations,
  type ItemLocation,
} from './boxes';

const XMP_TYPE = 'application/rdf+xml';
/** Position of the TIFF header in an EXIF item: it follows immediately (ISO/IEC 23008-12, A.2.1). */
const TIFF_OFFSET = Buffer.alloc(4);

interface NewItem {
  readonly id: number;
  readonly entry: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * Returns the file with the blocks added.
 * @param avif a still image without metadata
 * @throws Error when it is something else
 */
export function withAvifMetadata(avif: Uint8Array, { icc, exif, xmp }: EmbeddedBlocks): Uint8Array {
  if (!icc && !exif && !xmp) return avif;
  const top = boxesIn(avif, 0);
  const meta = one(top, 'meta');
  const children = boxesIn(meta.content, 4);
  const primary = readPrimary(one(children, 'pitm'));
  const locations = itemLocations(one(children, 'iloc'));
  const firstId = Math.max(...locations.map(({ id }) => id)) + 1;
  const items: NewItem[] = [];
  if (exif) items.push(newItem(firstId, 'Exif', Buffer.concat([TIFF_OFFSET, exif])));
  if (xmp) items.push(newItem(firstId + items.length, 'mime', xmp));

  const rewritten = (shift: number, dataAt: number) =>
    box('meta', [
      meta.content.subarray(0, 4),
      ...children.map((child) => {
        if (child.type === 'iloc')
          return writeItemLocations([...moved(locations, shift), ...placed(items, dataAt)]);
        if (child.type === 'iinf') return withItemEntries(child, items);
        if (child.type === 'iprp' && icc) return withProfile(child, icc, primary);
        if (child.type === 'iref') return withReferences(child.content, items, primary);
        return child.raw;
      }),
      ...(children.some(({ type }) => type === 'iref')
        ? []
        : [withReferences(Buffer.alloc(4), items, primary)]),
    ]);
  // The length of the box does not depend on the positions in it.
  const shift = rewritten(0, 0).length - meta.raw.length;
  const dataAt = avif.length + shift + 8;
  const parts = top.map((part) => (part.type === 'meta' ? rewritten(shift, dataAt) : part.raw));
  if (items.length > 0)
    parts.push(
      box(
        'mdat',
        items.map(({ data }) => data),
      ),
    );
  return Buffer.concat(parts);
}

function one(boxes: readonly Box[], type: string): Box {
  const found = boxes.filter((candidate) => candidate.type === type);
  if (found.length !== 1) throw new Error(`The AVIF has ${found.length} boxes ${type} instead of one.`);
  return found[0];
}

function readPrimary({ content }: Box): number {
  return content[0] === 0 ? content.readUInt16BE(4) : content.readUInt32BE(4);
}

function newItem(id: number, type: 'Exif' | 'mime', data: Uint8Array): NewItem {
  const entry = Buffer.alloc(8);
  entry.writeUInt16BE(id);
  entry.write(type, 4, 'latin1');
  const names = type === 'mime' ? `\0${XMP_TYPE}\0` : '\0';
  // Flag 1: the item is not an image to show.
  return { id, data, entry: fullBox('infe', 2, 1, [entry, Buffer.from(names, 'latin1')]) };
}

/** Shifts the locations of the data after the box `meta`. */
function moved(locations: readonly ItemLocation[], shift: number): ItemLocation[] {
  return locations.map((location) => ({
    ...location,
    extents: location.extents.map(({ offset, length }) => ({ offset: offset + shift, length })),
  }));
}

function placed(items: readonly NewItem[], dataAt: number): ItemLocation[] {
  let offset = dataAt;
  return items.map(({ id, data }) => {
    const extents = [{ offset, length: data.length }];
    offset += data.length;
    return { id, extents };
  });
}

function withItemEntries({ content }: Box, items: readonly NewItem[]): Uint8Array {
  const [version, countBytes] = content[0] === 0 ? [0, 2] : [1, 4];
  const count = Buffer.alloc(countBytes);
  count.writeUIntBE(content.readUIntBE(4, countBytes) + items.length, 0, countBytes);
  return fullBox('iinf', version, 0, [
    count,
    content.subarray(4 + countBytes),
    ...items.map(({ entry }) => entry),
  ]);
}

/** Each new item describes (`cdsc`) the image. */
function withReferences(content: Buffer, items: readonly NewItem[], primary: number): Uint8Array {
  const idBytes = content[0] === 0 ? 2 : 4;
  const references = items.map(({ id }) => {
    const reference = Buffer.alloc(2 * idBytes + 2);
    reference.writeUIntBE(id, 0, idBytes);
    reference.writeUInt16BE(1, idBytes);
    reference.writeUIntBE(primary, idBytes + 2, idBytes);
    return box('cdsc', [reference]);
  });
  return box('iref', [content, ...references]);
}

/** Appends the profile to the properties and assigns it to the image. */
function withProfile({ content }: Box, icc: Uint8Array, primary: number): Uint8Array {
  const parts = boxesIn(content, 0);
  const properties = one(parts, 'ipco');
  const colour = box('colr', [Buffer.from('prof', 'latin1'), icc]);
  const index = boxesIn(properties.content, 0).length + 1;
  return box(
    'iprp',
    parts.map((part) => {
      if (part.type === 'ipco') return box('ipco', [part.content, colour]);
      return part.type === 'ipma' ? withAssociation(part.content, primary, index) : part.raw;
    }),
  );
}

function withAssociation(content: Buffer, primary: number, index: number): Uint8Array {
  const idBytes = content[0] === 0 ? 2 : 4;
  const indexBytes = (content[3] & 1) === 1 ? 2 : 1;
  const parts: Uint8Array[] = [content.subarray(4, 8)];
  for (let at = 8, left = content.readUInt32BE(4); left > 0; left--) {
    const id = content.readUIntBE(at, idBytes);
    const count = content[at + idBytes];
    const end = at + idBytes + 1 + count * indexBytes;
    const entry = Buffer.from(content.subarray(at, end));
    parts.push(entry);
    if (id === primary) {
      entry[idBytes] = count + 1;
      const association = Buffer.alloc(indexBytes);
      association.writeUIntBE(index, 0, indexBytes);
      parts.push(association);
    }
    at = end;
  }
  return fullBox('ipma', content[0], content[3], parts);
}
