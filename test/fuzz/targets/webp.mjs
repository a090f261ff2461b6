import assert from 'node:assert/strict';
import { load } from '../target-tools.mjs';

const { rewriteWebp } = load('compression/formats/webp/webp-file.js');

const BLOCKS = {
  icc: Buffer.from('a profile'),
  exif: Buffer.from('an EXIF block'),
  xmp: Buffer.from('a packet'),
};

export const seeds = ({ webp, 'webp lossless': lossless, 'webp with alpha': alpha }) => [
  webp,
  lossless,
  alpha,
];
export const words = ['RIFF', 'WEBP', 'VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'];

export function fuzz(data) {
  let result;
  try {
    result = Buffer.from(rewriteWebp(data, { blocks: BLOCKS, made: null }));
  } catch (error) {
    assert(error instanceof Error);
    return;
  }
  assert.equal(result.toString('latin1', 0, 4), 'RIFF');
  assert.equal(result.readUInt32LE(4), result.length - 8);
  const types = [];
  let at = 12;
  for (; at + 8 <= result.length; at += 8 + result.readUInt32LE(at + 4) + (result.readUInt32LE(at + 4) % 2))
    types.push(result.toString('latin1', at, at + 4));
  assert.equal(at, result.length);
  assert.deepEqual(
    [types.slice(0, 2), types.slice(-2)],
    [
      ['VP8X', 'ICCP'],
      ['EXIF', 'XMP '],
    ],
  );
}
