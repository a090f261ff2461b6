import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { photoPixels } from '../../../../support/images';
import { avifFormat } from '../../../../../src/compression/application/avif/avif-format';
import type { ImageFacts } from '../../../../../src/compression/application/result-format.port';
import type { ResultCodec } from '../../../../../src/compression/application/codecs.port';
import type { Effort } from '../../../../../src/compression/domain/compression-policy';
import type { Pixels } from '../../../../../src/compression/domain/pixels';

class RecordingAvif implements ResultCodec {
  readonly efforts: number[] = [];
  readonly depths: unknown[] = [];

  encode(_: Pixels, { effort, bitDepth }: { effort: number; bitDepth?: number }): Promise<Uint8Array> {
    this.efforts.push(effort);
    this.depths.push(bitDepth);
    return Promise.resolve(new Uint8Array());
  }

  decode(): Promise<Pixels> {
    throw new Error('Nothing is decoded');
  }
}

const FACTS: ImageFacts = {
  isPhoto: true,
  effort: 'balanced',
  pixelCount: 8e6,
  density: 1,
  targetScore: 0.9914,
};
const pixels: Pixels = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) };

/** What trials encode, their effort, and that of the file. */
async function planOf(isPhoto: boolean, effort: Effort, megapixels: number, more: Partial<ImageFacts> = {}) {
  const codec = new RecordingAvif();
  const [coding] = avifFormat(codec).lossy;
  const image = { ...FACTS, isPhoto, effort, pixelCount: megapixels * 1e6, ...more };
  for (const purpose of ['trial', 'delivery'] as const)
    await coding.encode(pixels, { quality: 60, purpose, image, metadata: {} });
  const { of, lossRatio } = coding.trials(image);
  expect(lossRatio).toBeGreaterThan(0.8);
  expect(lossRatio).toBeLessThan(1.1);
  return [of, ...codec.efforts];
}

it.each<['photo' | 'graphic', Effort, number, unknown[]]>([
  ['photo', 'fast', 0.59, ['mosaic', 1, 1]],
  ['photo', 'balanced', 0.59, ['whole', 3, 4]],
  ['photo', 'balanced', 0.61, ['mosaic', 2, 2]],
  ['photo', 'balanced', 3.1, ['mosaic', 1, 1]],
  ['photo', 'max', 0.59, ['whole', 3, 6]],
  ['photo', 'max', 12, ['mosaic', 2, 4]],
  // No mosaic tells what a graphic is like.
  ['graphic', 'fast', 0.59, ['file', 2, 2]],
  ['graphic', 'balanced', 0.59, ['whole', 3, 4]],
  ['graphic', 'balanced', 0.61, ['file', 3, 3]],
  ['graphic', 'balanced', 8.4, ['file', 2, 2]],
  ['graphic', 'balanced', 8.6, ['mosaic', 2, 2]],
  ['graphic', 'max', 4, ['whole', 3, 4]],
])('a %s, %s, %d megapixels', async (kind, effort, megapixels, plan) => {
  expect(await planOf(kind === 'photo', effort, megapixels)).toEqual(plan);
});

it.each<[Effort, number, Partial<ImageFacts>, number]>([
  ['balanced', 1, { density: 2, trialBits: 0.6 }, 3],
  ['balanced', 1, { density: 2, trialBits: 0.7 }, 2],
  ['balanced', 1, { density: 1, trialBits: 0.6 }, 2],
  ['balanced', 3.1, { density: 2, trialBits: 0.6 }, 1],
  ['fast', 1, { density: 2, trialBits: 0.6 }, 1],
])('a photo, %s, %d megapixels, %j gets the effort %d', async (effort, megapixels, more, expected) => {
  expect((await planOf(true, effort, megapixels, more))[2]).toBe(expected);
});

it.each([
  [true, 3, 10],
  [true, 4, 8],
  [false, 3, 8],
] as const)('photo %s, %d channels: %d bits, in trials too', async (isPhoto, channels, depth) => {
  const codec = new RecordingAvif();
  for (const purpose of ['trial', 'delivery'] as const) {
    const options = { quality: 60, purpose, image: { ...FACTS, isPhoto }, metadata: {} };
    await avifFormat(codec).lossy[0].encode({ ...pixels, channels }, options);
  }
  expect(codec.depths).toEqual([depth, depth]);
});

it('expects effort to gain more where a trial takes more bits', () => {
  const ratio = (trialBits: number, isPhoto = true) =>
    coding.trials({ ...FACTS, pixelCount: 2e5, isPhoto, trialBits }).lossRatio;
  expect(ratio(1.5) / ratio(0.75)).toBeCloseTo(0.94, 2);
  expect(ratio(1.5, false)).toBe(ratio(0.75, false));
});

const [coding] = avifFormat(new RecordingAvif()).lossy;
const steps = Array.from({ length: coding.range(2).highest + 1 }, (_, step) => step);

it('has a step for each file that differs', async () => {
  const { avif } = createNativeEngine();
  const small = photoPixels(64, 64);
  const encode = async (quality: number) =>
    Buffer.from(await avif!.encode(small, { quality, effort: 1 })).toString('base64');
  const files = new Set<string>();
  for (const step of steps) files.add(await encode(coding.stepQuality!(step)));
  expect(files.size).toBe(steps.length);
  const [lowest, highest] = [coding.stepQuality!(0), coding.stepQuality!(coding.range(2).highest)];
  for (let quality = lowest; quality <= highest; quality++) files.add(await encode(quality));
  expect(files.size).toBe(steps.length);
});

it('knows where the loss falls in jumps, and finds each step again', () => {
  const { position, qualityAt } = coding.curve({ density: 1, pixelCount: 1e6 });
  const fallBefore = (quality: number) => {
    const step = steps.find((at) => coding.stepQuality!(at) === quality)!;
    return position(step - 1) - position(step);
  };
  expect(fallBefore(66)).toBeLessThan(0.08);
  expect(fallBefore(67)).toBeGreaterThan(0.1);
  for (const step of steps.flatMap((at) => [at, at + 0.3]).slice(0, -1))
    expect(qualityAt(position(step))).toBeCloseTo(step, 9);
  expect([qualityAt(position(0) + 1), qualityAt(-99)]).toEqual([0, coding.range(2).highest]);
});

it('expects the loss of a photo to fall the faster, the more bits a trial takes', () => {
  const stepOf = (quality: number) => steps.find((at) => coding.stepQuality!(at) === quality)!;
  const slope = (bits: number, quality = 68) => coding.lossSlope!(bits, stepOf(quality), FACTS)!;
  expect(slope(1)).toBeCloseTo(1, 9);
  expect([slope(0.5), slope(2)]).toEqual([expect.closeTo(0.92, 2), expect.closeTo(1.08, 2)]);
  // A trial at a lower quality takes fewer bits of the same photo.
  expect(slope(0.76, 60)).toBeCloseTo(slope(1), 2);
  expect([slope(0.001), slope(1000)]).toEqual([0.6, 1.6]);
  expect(coding.lossSlope!(0.66, stepOf(68), { ...FACTS, isPhoto: false })).toBeUndefined();
});

it('scores tiles without a border that keeps the blocks of the score on the grid of the encoder', () => {
  expect(coding.tiles.seamPx! % 8).toBe(0);
});
