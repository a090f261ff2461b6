/** Checks of a result format that holds 16 bits per sample. */
import assert from 'node:assert/strict';
import { areSame, withRoundedSamples, type DeepPixels } from '../domain/deep-pixels';
import { difference, rgba } from './pictures';
import { channelsOf, deepCodingsOf, type FormatCheck } from './tested-format';

/** Largest root-mean-square difference of a lossy file at a high quality, of 255. */
const CLOSE = 9;

/** A smooth image that 8 bits cannot represent. Its alpha has few transparent pixels. */
function smooth(width: number, height: number, channels: DeepPixels['channels']): DeepPixels {
  const data = Uint16Array.from({ length: width * height * channels }, (_, i) => {
    const [c, x, y] = [i % channels, Math.floor(i / channels) % width, Math.floor(i / channels / width)];
    const isAlpha = channels % 2 === 0 && c === channels - 1;
    return isAlpha ? Math.min(65_535, 40_001 + x * 211) : 9000 + x * 97 + y * 211 + c * 1501;
  });
  return { width, height, channels, data };
}

export const DEPTH_CHECKS: readonly FormatCheck[] = [
  {
    name: '16 bits per sample are exact without loss, and close with loss',
    appliesTo: ({ deep }) => deep !== undefined,
    async run(format) {
      for (const { name, isExact, encode, decode } of deepCodingsOf(format)) {
        const sizes = [
          [1, 1],
          [3, 1],
          [200, 120],
        ] as const;
        for (const channels of channelsOf(format)) {
          for (const [width, height] of sizes) {
            const image = smooth(width, height, channels);
            const decoded = await decode(await encode(image), image);
            const what = `${name}, ${width} × ${height}, ${channels} channels, 16 bits`;
            assert.equal(decoded.channels, channels, `${what}: the channels differ`);
            if (isExact) assert.ok(areSame(image, decoded), `${what}: a sample differs`);
            const off = difference(rgba(withRoundedSamples(image)), rgba(withRoundedSamples(decoded)));
            assert.ok(off < CLOSE, `${what}: the difference is ${off.toFixed(2)} of 255`);
          }
        }
      }
    },
  },
];
