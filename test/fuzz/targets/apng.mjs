import assert from 'node:assert/strict';
import { load, unlessRefused } from '../target-tools.mjs';
import { withChecksums } from './png-chunks.mjs';

const { readPngStructure } = load('compression/formats/png/png-structure.js');
const { declaredChunks, readFrames } = load('compression/formats/png/png-animation.js');
const { pngChunk } = load('compression/formats/png/png-chunks.js');

/** Two small frames, with data that no decoder reads. */
function animation(width, height) {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const control = (sequence) => Buffer.concat([Buffer.of(0, 0, 0, sequence), size, Buffer.alloc(14)]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[
      ['IHDR', Buffer.concat([size, Buffer.of(8, 6, 0, 0, 0)])],
      ['acTL', Buffer.of(0, 0, 0, 2, 0, 0, 0, 0)],
      ['fcTL', control(0)],
      ['IDAT', Buffer.from('data')],
      ['fcTL', control(1)],
      ['fdAT', Buffer.from('\0\0\0\x02more')],
      ['IEND', Buffer.alloc(0)],
    ].map(([type, data]) => pngChunk(type, data).raw),
  ]);
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
