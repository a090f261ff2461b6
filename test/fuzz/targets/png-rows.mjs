/** Rows of a PNG: filters, passes, palettes, 16 bits, the marks of a nine-patch. The input is what is inflated. */
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { chosen, load } from '../target-tools.mjs';

const { uint32s } = load('compression/formats/bytes.js');
const { pngChunk, pngOfChunks } = load('compression/formats/png/png-chunks.js');
const { readPngStructure } = load('compression/formats/png/png-structure.js');
const { bytesOfRows, inflatedRows, withBestFilters, withoutFilters } = load(
  'compression/formats/png/png-raw-rows.js',
);
const { withEightBits } = load('compression/formats/png/png-depth.js');
const { leastDepth, packedRows, pngOfIndexed, readIndexedPng } = load(
  'compression/formats/png/png-indexed.js',
);
const { readMarks } = load('compression/formats/png/png-marks.js');

/** Bit depth and colour type. */
const KINDS = [
  [8, 2],
  [8, 6],
  [16, 2],
  [16, 0],
  [8, 3],
  [1, 0],
  [2, 3],
  [4, 3],
  [8, 4],
  [16, 6],
  [8, 0],
  [16, 4],
];
const HEAD_BYTES = 20;

export const seeds = () =>
  KINDS.flatMap((_, kind) =>
    [0, 1].map((interlace) =>
      Buffer.concat([Buffer.of(kind, interlace, 6, 5, 3), Buffer.alloc(15, 9), Buffer.alloc(300, kind & 3)]),
    ),
  );

/** Bytes 0 to 4: kind, interlacing, width, height, what to insert; then colours; then rows. */
export async function fuzz(data) {
  if (data.length < HEAD_BYTES) return;
  const [depth, type] = chosen(KINDS, data[0]);
  const size = uint32s(1 + (data[2] & 31), 1 + (data[3] & 31));
  const header = Buffer.concat([size, Buffer.of(depth, type, 0, 0, data[1] & 1)]);
  const colours = data.subarray(5, HEAD_BYTES);
  const png = pngOfChunks([
    pngChunk('IHDR', header),
    ...(type === 3 ? [pngChunk('PLTE', colours)] : []),
    ...(data[4] & 1 ? [pngChunk('tRNS', colours.subarray(0, data[4] & 4 ? 6 : 2))] : []),
    pngChunk('IDAT', deflateSync(data.subarray(HEAD_BYTES), { level: 1 })),
  ]);
  const structure = readPngStructure(png);
  const parts = structure.chunks.flatMap((chunk) => (chunk.type === 'IDAT' ? [chunk.data] : []));
  const filtered = inflatedRows(structure, parts);
  const rows = filtered && withoutFilters(structure, filtered);
  if (rows) {
    assert.equal(rows.length, bytesOfRows(structure));
    assert.deepEqual(
      withoutFilters(structure, withBestFilters(structure, rows)),
      rows,
      'Filters change the rows.',
    );
  }
  const marks = await readMarks(structure);
  assert(!marks || marks.data.length === structure.storedSize.width * structure.storedSize.height);
  const eight = withEightBits(png, true);
  if (eight) assert.equal(readPngStructure(eight.png).bitDepth, 8);
  reindexed(readIndexedPng(png));
}

function reindexed(image) {
  if (!image || image.rows.some((index, i) => i % (image.width + 1) > 0 && index * 4 >= image.palette.length))
    return;
  const depth = leastDepth(image);
  const png = pngOfIndexed(image, depth, deflateSync(packedRows(image, depth)));
  assert.equal(readPngStructure(png).bitDepth, depth);
}
