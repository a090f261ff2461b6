import assert from 'node:assert/strict';
import * as exif from './exif.mjs';
import { packets, resources } from './rights.mjs';
import { chosen, KEPT, load, MAX_PIXELS, unlessRefused, writtenBy } from '../target-tools.mjs';

const { readSource } = load('compression/formats/image-header.js');
const { jpegBlocks, jpegWithBlocks } = load('compression/formats/jpeg/metadata/jpeg-blocks.js');
const { copyMetadata } = load('compression/formats/jpeg/metadata/copied-metadata.js');
const { withoutForeignMetadata } = load('compression/formats/jpeg/metadata/foreign-metadata.js');
const { withSegments } = load('compression/formats/jpeg/segment-writer.js');
const { jpegColours, readJpegStructure } = load('compression/formats/jpeg/jpeg-structure.js');

/** The smallest file that a structure can be read from: a frame of 7 × 9 grey pixels and an empty scan. */
const SMALLEST = Buffer.from('ffd8ffc0000b080009000701011100ffda0008010100003f00ffd9', 'hex');

export { words } from './jpeg-segments.mjs';
const latin1 = (text) => Buffer.from(text, 'latin1');

const METADATA = [
  ...exif.seeds().map((bytes) => [0xe1, 'Exif\0\0', bytes.subarray(3)]),
  ...packets().map((text) => [0xe1, 'http://ns.adobe.com/xap/1.0/\0', Buffer.from(text)]),
  ...resources().map((bytes) => [0xed, 'Photoshop 3.0\0', bytes]),
].map(([marker, head, block]) => ({ marker, payload: Buffer.concat([latin1(head), block]) }));

export const seeds = (images) => [
  ...Object.entries(images).flatMap(([name, file]) => (/^jpeg/.test(name) ? [withOptions(file, 0)] : [])),
  ...METADATA.map((segment, i) =>
    withOptions(Buffer.concat([withSegments(SMALLEST, [segment]), latin1(i % 2 ? '\0\0\0\x08ftyp' : '')]), i),
  ),
];

const withOptions = (file, kept) => Buffer.concat([Buffer.of(kept, kept >> 1, 0), file]);

export function fuzz(data) {
  const file = data.subarray(3);
  const source = unlessRefused(() => readSource(file, MAX_PIXELS));
  if (source?.format !== 'jpeg') return;
  const { structure } = source;
  jpegColours(structure);
  clean(file, structure, chosen(KEPT.slice(0, 4), data[0]));

  const written = { ...writtenBy(data.subarray(0, 2)), targetScore: 0.99, density: 1 };
  const { blocks } = jpegBlocks(structure.metadata, written);
  for (const result of [copyMetadata(structure, SMALLEST, written), jpegWithBlocks(SMALLEST, blocks)]) {
    const { storedSize, orientation } = readJpegStructure(result);
    assert.deepEqual(storedSize, { width: 7, height: 9 });
    assert(orientation >= 1 && orientation <= 8);
  }
}

/** A cleaned file is not longer, has the same frame and scans, and nothing left to clean. */
function clean(file, structure, keep) {
  const cleaned = withoutForeignMetadata(file, structure, keep);
  if (!cleaned) return;
  assert(cleaned.length <= file.length);
  const after = readJpegStructure(cleaned);
  assert.deepEqual(after.storedSize, structure.storedSize);
  assert.equal(after.scans, structure.scans);
  assert.equal(withoutForeignMetadata(cleaned, after, keep), undefined, 'A cleaned file has metadata.');
}
