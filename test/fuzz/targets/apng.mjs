import assert from 'node:assert/strict';
import { load, unlessRefused } from '../target-tools.mjs';
import { withChecksums } from './png-chunks.mjs';

const { readPngStructure } = load('compression/formats/png/png-structure.js');
const { declaredChunks, readFrames } = load('compression/formats/png/png-animation.js');
const { uint32s } = load('compression/formats/bytes.js');
const { pngChunk, pngOfChunks } = load('compression/formats/png/png-chunks.js');

/** Two small frames, with data that no decoder reads. */
function animation(width, height) {
  const size = uint32s(width, height);
  const control = (sequence) => Buffer.concat([Buffer.of(0, 0, 0, sequence), size, Buffer.alloc(14)]);
  return pngOfChunks(
    [
      ['IHDR', Buffer.concat([size, Buffer.of(8, 6, 0, 0, 0)])],
      ['acTL', Buffer.of(0, 0, 0, 2, 0, 0, 0, 0)],
      ['fcTL', control(0)],
      ['IDAT', Buffer.from('data')],
      ['fcTL', control(1)],
      ['fdAT', Buffer.from('\0\0\0\x02more')],
    ].map(([type, data]) => pngChunk(type, data)),
  );
}

export const seeds = ({ apng }) => [apng, animation(8, 9), animation(3, 3)];
export const words = ['acTL', 'fcTL', 'fdAT', 'IDAT', 'IEND'];

export function fuzz(data) {
  const file = withChecksums(data);
  const structure = unlessRefused(() => readPngStructure(file));
  if (!structure) return;
  const { frames: declared } = declaredChunks(file, structure);
  const frames = readFrames(structure);
  if (!frames) return;
  assert(declared, 'An animation that can be read declares no frames.');
  const still = frames.filter(({ control }) => !control).length;
  assert(still <= 1);
}
