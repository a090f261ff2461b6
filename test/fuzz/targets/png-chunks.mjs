import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { chosen, KEPT, load, MAX_PIXELS, unlessRefused, writtenBy } from '../target-tools.mjs';

const { readAcceptedHeader, readSource } = load('compression/formats/image-header.js');
const { readPngStructure } = load('compression/formats/png/png-structure.js');
const {
  keptChunks,
  pngBlocks,
  pngWithBlocks,
  withChunks,
  withColourChunks,
  withoutForeignChunks,
  withoutMetadata,
} = load('compression/formats/png/png-metadata.js');
const { pngColours } = load('compression/formats/png/png-shown-colours.js');
const { pngChunk } = load('compression/formats/png/png-chunks.js');
const { toneTables } = load('compression/domain/tone.js');

const TEXTS = [
  ['tEXt', 'Author\0Jane'],
  [
    'iTXt',
    'XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta><rdf:RDF><rdf:Description tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>',
  ],
  ['tEXt', 'Raw profile type exif\0\nexif\n      14\n4578696600004d4d002a00000008\n'],
  ['tEXt', 'Creation Time\x002026-01-02'],
  ['pHYs', '\0\0\x2e\x23\0\0\x2e\x23\x01'],
  ['gAMA', '\0\0\xb1\x8f'],
  ['cICP', '\x09\x10\0\x01'],
].map(([type, data]) => pngChunk(type, Buffer.from(data, 'latin1')));

export const seeds = (images) =>
  Object.entries(images)
    .filter(([name, { length }]) => /^a?png/.test(name) && length < 20_000)
    .flatMap(([, file]) => [file, withChunks(file, TEXTS)])
    .map((file) => Buffer.concat([Buffer.of(0, 0, 1), file]));
export const words =
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP eXIf acTL fcTL fdAT tEXt zTXt iTXt pHYs npTc icNL icRS'
    .split(' ')
    .concat('Raw profile type iptc\0', '\niptc\n 1\n3842494d', 'XML:com.adobe.xmp\0\0\0\0\0', 'mxfile\0');

export function fuzz(data) {
  const [kept, , sound = 0] = data;
  const file = sound & 1 ? withChecksums(data.subarray(3)) : data.subarray(3);
  const declared = unlessRefused(() => readAcceptedHeader(file, MAX_PIXELS));
  const source = unlessRefused(() => readSource(file, MAX_PIXELS));
  if (source?.format !== 'png') return;
  const { structure } = source;
  assert.deepEqual(declared?.dimensions, structure.storedSize);
  const colours = pngColours(structure);
  if (colours?.curves) toneTables(colours.curves, 256);

  const written = writtenBy(data);
  const plain = withoutMetadata(structure);
  const { blocks } = pngBlocks(structure.chunks, written);
  const results = [
    plain,
    withColourChunks(plain, structure.colourChunks),
    withChunks(plain, keptChunks(structure, written).chunks),
    pngWithBlocks(plain, blocks),
  ];
  for (const result of results) assert.deepEqual(readPngStructure(result).storedSize, structure.storedSize);

  const keep = chosen(KEPT.slice(0, 4), kept);
  const cleaned = withoutForeignChunks(file, structure, keep);
  if (!cleaned) return;
  const after = readPngStructure(cleaned);
  assert.deepEqual(after.storedSize, structure.storedSize);
  assert.equal(after.orientation, structure.orientation);
  assert.equal(withoutForeignChunks(cleaned, after, keep), undefined, 'A cleaned file has metadata.');
}

/** Corrects the checksums, as far as there are whole chunks. */
export function withChecksums(file) {
  const png = Buffer.from(file);
  for (let at = 8; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    if (end > png.length) break;
    png.writeUInt32BE(crc32(png.subarray(at + 4, end - 4)), end - 4);
    at = end;
  }
  return png;
}
