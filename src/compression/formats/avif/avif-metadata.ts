/** Writes an AVIF anew with other metadata (ISO/IEC 14496-12 and 23008-12), and the marker. Coded data are copied unchanged. */
import { crc32 } from 'node:zlib';
import { uint16s } from '../bytes';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { readResultPolicy, writeResultPolicy, type ResultPolicy, type Rewriting } from '../result-policy';
import { isMetadata, isXmp, one, readAvifItems, XMP_TYPE, type Item } from './avif-items';
import { box, boxesIn, fullBox, writeItemLocations, type Box } from './boxes';

/** Position of the TIFF header in an EXIF item: it follows immediately (ISO/IEC 23008-12, A.2.1). */
const TIFF_OFFSET = Buffer.alloc(4);
/** Without entries. */
const EMPTY_TIFF = Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1');
const EMPTY_XMP = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
const SPACE = 0x20;
const EMPTY = { type: 'iref', content: Buffer.alloc(4), raw: Buffer.alloc(0) };
/** Of a box `uuid` that only this service knows; readers ignore it (ISO/IEC 14496-12, 11.1). */
const MARKER_ID = Buffer.from('icRS image result', 'latin1').subarray(0, 16);

/**
 * Returns the file with `blocks` in place of its metadata. Without a profile in them, its own stays.
 * @throws Error when it is not in boxes as libheif and libavif write them
 */
function withAvifMetadata(avif: Uint8Array, blocks: EmbeddedBlocks): Uint8Array {
  const { icc, exif, xmp } = blocks;
  const { top, meta, children, primary, items, references } = readAvifItems(avif);
  if (top.some(({ type }) => type === 'moov')) return overwritten(avif, items, blocks);
  const dropped = items.filter(isMetadata).map(({ id }) => id);
  if (!icc && !exif && !xmp && dropped.length === 0) return avif;
  const kept = items.filter((item) => !isMetadata(item));
  const firstId = Math.max(...kept.map(({ id }) => id)) + 1;
  const added = [
    ...(exif ? [newItem(firstId, 'Exif', Buffer.concat([TIFF_OFFSET, exif]), primary)] : []),
    ...(xmp ? [newItem(exif ? firstId + 1 : firstId, 'mime', xmp, primary)] : []),
  ];
  const stored = [...kept.map((item) => ({ id: item.id, data: item.data() })), ...added];
  const entries = [...kept.map(({ raw }) => raw), ...added.map(({ entry }) => entry)];
  const keptLinks = references.filter(({ from }) => !dropped.includes(from)).map(({ raw }) => raw);
  const links = [...keptLinks, ...added.map(({ link }) => link)];
  const hasLinks = children.some(({ type }) => type === 'iref');
  const written = (start: number) =>
    box('meta', [
      meta.content.subarray(0, 4),
      ...[...children, ...(hasLinks ? [] : [EMPTY])].map((child) => {
        switch (child.type) {
          case 'iloc':
            return writeItemLocations(stored, start);
          case 'iinf':
            return writtenAnew(child, [uint16s(entries.length), ...entries]);
          case 'iprp':
            return icc ? withProfile(child, icc, primary) : child.raw;
          case 'iref': {
            const linked = writtenAnew(child, links);
            return links.length > 0 ? linked : EMPTY.raw;
          }
          case 'idat':
            return EMPTY.raw;
          default:
            return child.raw;
        }
      }),
    ]);
  const rest = top.filter(({ type }) => !['meta', 'mdat'].includes(type)).map(({ raw }) => raw);
  const [first, ...others] = rest;
  // The length of the box does not depend on the positions in it.
  const start = first.length + written(0).length + 8;
  const data = box(
    'mdat',
    stored.map((item) => item.data),
  );
  return Buffer.concat([first, written(start), data, ...others]);
}

/** In a sequence, the frames cannot move: metadata are written over the old ones; what does not fit goes. */
function overwritten(avif: Uint8Array, items: readonly Item[], { exif, xmp }: EmbeddedBlocks): Uint8Array {
  const copy = Buffer.from(avif);
  for (const item of items.filter((one) => one.type === 'Exif' || isXmp(one))) {
    const old = item.data();
    if (old.buffer !== avif.buffer) throw new Error('The metadata are in several pieces.');
    const at = old.byteOffset - avif.byteOffset;
    const tiff = Buffer.concat([TIFF_OFFSET, exif ?? EMPTY_TIFF]);
    const [data, filler] = item.type === 'Exif' ? [tiff, 0] : [xmp ?? EMPTY_XMP, SPACE];
    copy.fill(filler, at, at + old.length);
    if (data.length <= old.length) copy.set(data, at);
  }
  return copy;
}

/** @throws Error as withAvifMetadata does */
export function rewriteAvif(avif: Uint8Array, { blocks, made }: Rewriting): Uint8Array {
  const file = blocks ? withAvifMetadata(avif, blocks) : avif;
  if (made === undefined) return file;
  const bare = boxesIn(file, 0).flatMap((part) => (isMarker(part) ? [] : [part.raw]));
  const marker = made ? [box('uuid', [MARKER_ID, writeResultPolicy(made, checksum(file))])] : [];
  return Buffer.concat([...bare, ...marker]);
}

/** Returns what was asked of a result of this service; undefined for other files. */
export function readAvifMarker(avif: Uint8Array): ResultPolicy | undefined {
  const marker = boxesIn(avif, 0).find(isMarker);
  return marker && readResultPolicy(marker.content.subarray(MARKER_ID.length), checksum(avif));
}

export function isMarker({ type, content }: Box) {
  return type === 'uuid' && content.subarray(0, MARKER_ID.length).equals(MARKER_ID);
}

/** Of the coded image. */
function checksum(avif: Uint8Array) {
  const coded = readAvifItems(avif).items.filter((item) => !isMetadata(item));
  return coded.reduce((sum, item) => crc32(item.data(), sum), 0);
}

function versionZero({ type, content }: Box) {
  if (content.readUInt32BE(0) !== 0) throw new Error(`The box ${type} of the AVIF has an unknown version.`);
  return content;
}

function writtenAnew(old: Box, parts: readonly Uint8Array[]) {
  versionZero(old);
  return fullBox(old.type, 0, 0, parts);
}

/** With its entry in `iinf`, and the reference that says which image it describes. */
function newItem(id: number, type: 'Exif' | 'mime', data: Uint8Array, primary: number) {
  const names = type === 'mime' ? `\0${XMP_TYPE}\0` : '\0';
  const entry = fullBox('infe', 2, 1, [uint16s(id, 0), Buffer.from(type + names)]);
  return { id, data, entry, link: box('cdsc', [uint16s(id, 1, primary)]) };
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
