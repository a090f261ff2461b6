import type { PageFacts } from '../../page-facts';

export type MetadataKind = 'location' | 'camera data' | 'other metadata';

/** Metadata precede the pixels; profiles and thumbnails can take some hundred kilobytes. */
const HEAD_BYTES = 1024 * 1024;
const EXIF = 'Exif\0\0';
const OTHER_SEGMENTS = ['http://ns.adobe.com/xap/1.0/', 'Photoshop 3.0'];
const TEXT_CHUNKS = new Set(['tEXt', 'iTXt', 'zTXt']);
const [MAKE, MODEL, EXIF_DIRECTORY, GPS_DIRECTORY] = [0x010f, 0x0110, 0x8769, 0x8825];

/** With `copyright`, other metadata may be the part that stays. */
export async function removedMetadata(
  original: Blob,
  kept: PageFacts['keptMetadata'],
): Promise<MetadataKind[]> {
  if (kept === 'all') return [];
  const all = [...(await listMetadata(original))];
  return kept === 'none' ? all : all.filter((kind) => kind !== 'other metadata');
}

async function listMetadata(file: Blob): Promise<ReadonlySet<MetadataKind>> {
  try {
    const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    return new Set(bytes[0] === 0xff ? inJpeg(bytes) : inPng(bytes));
  } catch {
    return new Set();
  }
}

function* inJpeg(bytes: Uint8Array): Generator<MetadataKind> {
  const view = new DataView(bytes.buffer);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1];
    // Start of scan: the pixels.
    if (marker === 0xda) return;
    const payload = bytes.subarray(at + 4, at + 2 + view.getUint16(at + 2));
    const head = latin1(payload, 0, 32);
    if (marker === 0xe1 && head.startsWith(EXIF)) yield* inExif(payload.subarray(EXIF.length));
    else if (OTHER_SEGMENTS.some((name) => head.startsWith(name))) yield 'other metadata';
  }
}

function* inPng(bytes: Uint8Array): Generator<MetadataKind> {
  const view = new DataView(bytes.buffer);
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = latin1(bytes, at + 4, at + 8);
    if (type === 'eXIf') yield* inExif(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
    else if (TEXT_CHUNKS.has(type)) yield 'other metadata';
  }
}

function* inExif(block: Uint8Array): Generator<MetadataKind> {
  const tags = new Set(firstDirectory(block));
  if (tags.size === 0) return;
  if (tags.has(GPS_DIRECTORY)) yield 'location';
  yield [MAKE, MODEL, EXIF_DIRECTORY].some((tag) => tags.has(tag)) ? 'camera data' : 'other metadata';
}

/** TIFF 6.0, section 2: byte order, position of the directory at 4, number of entries, 12 bytes each. @throws RangeError */
function* firstDirectory({ buffer, byteOffset, byteLength }: Uint8Array): Generator<number> {
  const view = new DataView(buffer, byteOffset, byteLength);
  const isLittleEndian = view.getUint16(0) === 0x4949;
  const start = view.getUint32(4, isLittleEndian);
  const end = start + 2 + view.getUint16(start, isLittleEndian) * 12;
  for (let at = start + 2; at < end; at += 12) yield view.getUint16(at, isLittleEndian);
}

function latin1(bytes: Uint8Array, start: number, end: number) {
  return String.fromCharCode(...bytes.subarray(start, end));
}
