import { deflateSync, inflateSync } from 'node:zlib';
import { deflate } from '../../../../../src/compression/infrastructure/codecs/libdeflate';
import { texturedPixels } from '../../../../support/images';

const noise = texturedPixels(300, 200).data;

it('writes zlib streams, smaller with more effort and than those of zlib', async () => {
  const sizes: number[] = [deflateSync(noise, { level: 9 }).length];
  for (const effort of ['fast', 'balanced', 'max'] as const) {
    const deflated = await deflate(noise, effort);
    expect(inflateSync(deflated).equals(noise)).toBe(true);
    sizes.push(deflated.length);
  }
  const [zlib, fast, balanced, max] = sizes;
  expect(balanced).toBeLessThan(Math.min(zlib, fast));
  expect(max).toBeLessThanOrEqual(balanced);
  // Noise has a level between the first two.
  const quick = await deflate(noise, 'balanced', true);
  expect(inflateSync(quick).equals(noise)).toBe(true);
  expect(quick.length).toBeLessThan(fast);
  expect(quick).not.toEqual(await deflate(noise, 'balanced'));
  expect(await deflate(noise, 'max', true)).toEqual(await deflate(noise, 'max'));
});

it('deflates nothing, more than its memory holds at first, and the same again', async () => {
  const first = await deflate(noise, 'fast');
  for (const length of [0, 1, 40_000_000]) {
    const bytes = new Uint8Array(length).fill(7);
    expect(inflateSync(await deflate(bytes, 'fast')).equals(bytes)).toBe(true);
  }
  expect(await deflate(noise, 'fast')).toEqual(first);
});
