/**
 * Keeps the data after an image where readers find them, while metadata before them are removed. Readers of the Multi-Picture
 * Format (CIPA DC-007) count from its index, readers of GContainer and of motion photos from the end of the file.
 */
import { TiffReader } from '../tiff';
import { MP_ENTRIES_TAG, MP_ENTRY_BYTES } from './jpeg-companions';
import { keptSegments, type KeptOptions } from './jpeg-metadata';
import { APP2, MPF_HEADER, XMP_HEADER, isNamed, isXmp, type JpegSegment } from './jpeg-segments';
import { endOfJfif, withSegments } from './segment-writer';
import type { JpegStructure } from './jpeg-structure';

interface Around {
  /** Segments to add to the kept ones. */
  readonly more: readonly JpegSegment[];
  /** The bytes after the image. */
  readonly behind: Uint8Array;
}

/** Returns the image with the kept metadata, and everything after it unchanged. */
export function withEverythingBehind(
  structure: JpegStructure,
  image: Uint8Array,
  written: KeptOptions,
  { more, behind }: Around,
): Uint8Array {
  const { metadata, segments, end } = structure;
  const kept = [
    ...keptSegments(structure, written),
    ...metadata
      .filter(isXmp)
      .flatMap(({ marker, payload }) =>
        directoryOnly(payload).map((packet) => ({ marker, payload: packet })),
      ),
    ...more,
  ];
  const index = segments.find((segment) => isNamed(segment, APP2, MPF_HEADER));
  if (!index) return Buffer.concat([withSegments(image, kept), behind]);
  const draft = withSegments(image, [...kept, index]);
  const start = endOfJfif(image) + withSegments(image, kept).length - image.length;
  const saved = { size: end - draft.length, distance: end - index.start - (draft.length - start) };
  const payload = movedIndex(index.payload, saved);
  return Buffer.concat([withSegments(image, [...kept, { ...index, payload }]), behind]);
}

/**
 * Returns the index of a file that has become shorter.
 * @param saved bytes by which the image is shorter, and by which its end is closer to the index
 */
function movedIndex(
  source: Uint8Array,
  saved: { readonly size: number; readonly distance: number },
): Uint8Array {
  const payload = Buffer.from(source);
  const tiff = TiffReader.open(payload.subarray(MPF_HEADER.length));
  const entries = tiff?.directory().entries.get(MP_ENTRIES_TAG);
  if (!tiff || !entries) return payload;
  const lower = (at: number, by: number) => {
    const value = (tiff.uint32(at) - by) >>> 0;
    const to = MPF_HEADER.length + at;
    if (tiff.isLittleEndian) payload.writeUInt32LE(value, to);
    else payload.writeUInt32BE(value, to);
  };
  const count = Math.floor(entries.byteLength / MP_ENTRY_BYTES);
  for (let i = 0; i < count; i++) {
    const entry = entries.at + i * MP_ENTRY_BYTES;
    // The first entry is the image itself, at offset 0.
    if (i === 0) lower(entry + 4, saved.size);
    else lower(entry + 8, saved.distance);
  }
  return payload;
}

const MOTION =
  'G?Camera:(?:MotionPhoto|MotionPhotoVersion|MotionPhotoPresentationTimestampUs' +
  '|MicroVideo|MicroVideoVersion|MicroVideoOffset|MicroVideoPresentationTimestampUs)';
const ITEM = 'Item:(?:Mime|Semantic|Length|Padding)';
const MOTION_VALUES = new RegExp(`\\b${MOTION}(?:=["']|>)\\s*-?\\d+`, 'g');
const ITEM_VALUES = new RegExp(`\\b${ITEM}(?:=["']|>)\\s*[\\w/.+-]+`, 'g');
/** Names of elements and of attributes. */
const NAMES = /<\/?\s*([\w.:-]+)|\s([\w.:-]+)\s*=\s*["']/g;
const HARMLESS_NAME = new RegExp(
  `^(?:(?:x|rdf|xml|xmlns|hdrgm):[\\w.-]+|${MOTION}|${ITEM}|G?Container:(?:Directory|Item))$`,
);
const NAMESPACES =
  ' xmlns:Container="http://ns.google.com/photos/1.0/container/"' +
  ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"' +
  ' xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"';

/** Returns whether an XMP payload describes only the data after the image and the display of its gain map. */
export function describesOnlyWhatFollows(payload: Uint8Array): boolean {
  const names = [...packetOf(payload).matchAll(NAMES)].map(([, element, attribute]) => element || attribute);
  return names.every((name) => HARMLESS_NAME.test(name));
}

/**
 * Returns the XMP payload reduced to the description of the data after the image; empty if there is none.
 * @public The fuzz target calls it.
 */
export function directoryOnly(payload: Uint8Array): Uint8Array[] {
  if (describesOnlyWhatFollows(payload)) return [payload];
  const packet = packetOf(payload);
  const motion = [...packet.matchAll(MOTION_VALUES)].map(([field]) =>
    attribute(field.replace(/^Camera/, 'GCamera')),
  );
  const items = itemsOf(packet);
  if (motion.length === 0 && items.length === 0) return [];
  const directory = [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""',
    NAMESPACES,
    ...motion.map((field) => ` ${field}`),
    '><Container:Directory><rdf:Seq>',
    ...items.map((item) => `<rdf:li rdf:parseType="Resource"><Container:Item ${item.join(' ')}/></rdf:li>`),
    '</rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>',
  ];
  return [Buffer.from(XMP_HEADER + directory.join(''), 'latin1')];
}

/** Returns the attributes of each item in the directory. A repeated name begins the next item. */
function itemsOf(packet: string): string[][] {
  const items: Map<string, string>[] = [];
  for (const [field] of packet.matchAll(ITEM_VALUES)) {
    const written = attribute(field);
    const [name] = written.split('=');
    if (items.at(-1)?.has(name) ?? true) items.push(new Map());
    items.at(-1)?.set(name, written);
  }
  return items.map((item) => [...item.values()]);
}

/** Returns a field, whether stored as an attribute or an element, as an attribute. */
function attribute(field: string): string {
  const [name, value] = field.split(/=["']|>/);
  return `${name}="${value.trim()}"`;
}

function packetOf(payload: Uint8Array): string {
  return Buffer.from(payload.subarray(XMP_HEADER.length)).toString('latin1');
}
