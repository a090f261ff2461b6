/** What is delivered is decoded and compared first, so that a fault of a codec, or a coarse palette, costs bytes, not pixels. */
import { deflateSync, inflateSync } from 'node:zlib';
import { compressImage } from '../../../../../src/compression/application/recipe';
import type { PngCodec } from '../../../../../src/compression/application/codecs.port';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { animationOf, decodedFrames, FOUR_FRAMES } from '../../../../support/animations';
import { policy } from '../../../../support/default-policy';
import { png, screenshot, softEdges, textured, type Draw } from '../../../../support/drawn-pngs';
import { decodeIndependently } from '../../../../support/images';
import { ssimulacra2Of } from '../../../../support/judged';

const inverted: Draw = (x, y) => screenshot(x, y).map((value, c) => (c < 3 ? 255 - value : value));

async function compressWith(fault: (codec: PngCodec) => void, draw: Draw) {
  const engine = createNativeEngine();
  fault(engine.png);
  const source = png(320, 260, draw);
  const result = await compressImage(source, engine, policy);
  const [before, after] = [source, result.bytes].map((file) => decodeIndependently(file).data);
  return { ...result, source, isUnchanged: Buffer.compare(before, after) === 0 };
}

/** Changes a single sample, or index, in the middle of the rows. */
const withFaultyDeflate = (codec: PngCodec) => {
  const deflate = codec.deflate.bind(codec);
  codec.deflate = async (rows, effort) => {
    const wrong = inflateSync(await deflate(rows, effort));
    wrong[Math.floor(wrong.length / 2) + 5] ^= 31;
    return deflateSync(wrong);
  };
};

it.each([
  ['a palette', screenshot],
  ['a near-lossless image', textured],
] as const)('%s that was written wrongly is not delivered', async (_, draw) => {
  expect((await compressWith(() => undefined, draw)).report.score).toBeLessThan(1);
  const { isUnchanged, report } = await compressWith(withFaultyDeflate, draw);
  expect(isUnchanged).toBe(true);
  expect(report.score).toBe(1);
});

it('an optimised file with other pixels is not delivered', async () => {
  const other = png(320, 260, inverted);
  const withFaultyOptimiser = (codec: PngCodec) => {
    const optimise = codec.optimise.bind(codec);
    codec.optimise = (_, effort) => optimise(other, effort);
    codec.quantise = () => Promise.resolve(undefined);
  };
  const { isUnchanged } = await compressWith(withFaultyOptimiser, screenshot);
  expect(isUnchanged).toBe(true);
});

it('a frame of an animation that was written wrongly is not delivered', async () => {
  const engine = createNativeEngine();
  const source = animationOf({ frames: FOUR_FRAMES });
  expect((await compressImage(source, engine, policy)).bytes.length).toBeLessThan(source.length);
  withFaultyDeflate(engine.png);
  const { bytes } = await compressImage(source, engine, policy);
  expect(decodedFrames(bytes)).toEqual(decodedFrames(source));
});

/** The lowest SSIMULACRA2 of a result, as in fidelity-guard.ts. */
const LOWEST = 85;

it.each([119, 141, 163])(
  'indices repeat only as far as the loss allows, with soft edges every %i px',
  async (period) => {
    const source = png(320, 260, softEdges(period));
    const { bytes } = await compressImage(source, createNativeEngine(), { ...policy, effort: 'max' });
    expect(bytes[25]).toBe(3);
    expect(await ssimulacra2Of(source, decodeIndependently(bytes))).toBeGreaterThanOrEqual(LOWEST);
  },
);
