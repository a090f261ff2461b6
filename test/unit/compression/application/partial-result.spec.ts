/** Near its deadline, an image is delivered as the best result that was verified so far. */
import sharp from 'sharp';
import { readUpload } from '../../../../src/compression/application/read-upload';
import { compressUpload } from '../../../../src/compression/application/recipe';
import { Stopwatch, TimeLimit } from '../../../../src/compression/application/context';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { readSource } from '../../../../src/compression/formats/image-header';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { createRequest } from '../../../../src/compression/infrastructure/process/worker-messages';
import { policy } from '../../../support/default-policy';
import { png, screenshot } from '../../../support/drawn-pngs';
import { photoJpeg } from '../../../support/images';

const engine = createNativeEngine();
const drawing = png(240, 200, screenshot);

/** Compresses an image whose time is over when its recipe has asked so often. @param leftMs what is left until then */
async function compressed(
  image: Uint8Array,
  trials: number,
  asked: Partial<CompressionPolicy> = {},
  leftMs = Infinity,
) {
  let asks = 0;
  const timeLimit = new TimeLimit(() => (asks++ < trials ? leftMs : 0));
  const wanted = { ...policy, ...asked };
  const source = readSource(image, wanted.maxPixels);
  const context = { engine, policy: wanted, stopwatch: new Stopwatch(), timeLimit };
  const { bytes, report } = await compressUpload({ source, context });
  const isMarked = /icRS|ICS1/.test(Buffer.from(bytes).toString('latin1'));
  return { bytes, report, isMarked, asks };
}

it('packs without loss where nothing was verified, and the upload may get smaller when it is sent again', async () => {
  const quick = await compressed(drawing, 0);
  expect(quick.report).toMatchObject({ partial: 'deadline', score: 1, maxError: 0 });
  expect(quick.isMarked).toBe(false);
  expect(quick.bytes.length).toBeLessThan(drawing.length);
  const again = await compressed(quick.bytes, Infinity);
  expect(again.bytes.length).toBeLessThan(quick.bytes.length);
});

const tight = { maxBytes: 1_400, allowsAny: false };

it.each([
  ['a PNG', drawing, 'png', {}],
  ['a JPG as AVIF', photoJpeg(96, 72), 'avif', { formats: ['avif'], effort: 'max' }],
  ['a JPG in the smallest format', photoJpeg(96, 72), '', { formats: ['same', 'webp', 'avif'] }],
  ['a PNG as WebP', drawing, 'webp', { formats: ['webp'] }],
  ['a PNG in the smallest of two', drawing, '', { formats: ['webp', 'avif'] }],
  ['a PNG within a byte limit', png(120, 80, screenshot), 'png', { byteLimit: tight }],
  ['a JPG within a byte limit', photoJpeg(160, 120), 'jpeg', { byteLimit: tight }],
] as const)('delivers %s whichever trial is the first to be left out', async (_, upload, format, asked) => {
  const image = await upload;
  const { asks, report: whole } = await compressed(image, Infinity, asked);
  expect([asks > 0, whole.partial]).toEqual([true, undefined]);
  for (let trials = 0; trials < asks; trials++) {
    const { bytes, report, isMarked } = await compressed(image, trials, asked);
    expect([report.partial, isMarked]).toEqual(['deadline', false]);
    expect(report.format).toContain(format);
    if ('byteLimit' in asked) expect([bytes.length <= tight.maxBytes, report.budget]).toEqual([true, 'met']);
    else expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
  }
});

it.each([
  ['AVIF', 'max', 5],
  ['PNG', 'balanced', 20],
] as const)('makes %s at once with less effort if %s cannot end in time', async (format, effort, leftMs) => {
  const photo = await photoJpeg(160, 120);
  const asked = { formats: [format.toLowerCase()], effort };
  const { report, isMarked, bytes } = await compressed(photo, Infinity, asked, leftMs);
  expect([report.partial, isMarked]).toEqual(['deadline', false]);
  expect(report.score).toBeGreaterThanOrEqual(policy.targetScore);
  expect((await compressed(photo, Infinity, asked)).bytes.length).toBeLessThan(bytes.length);
});

it('makes no attempt within a byte limit with an effort that cannot end in time', async () => {
  const encode = jest.spyOn(engine.avif!, 'encode');
  const effortsWithin = async (leftMs: number) => {
    encode.mockClear();
    const asked = { formats: ['avif'], effort: 'max', byteLimit: tight } as const;
    const { report } = await compressed(await photoJpeg(160, 120), Infinity, asked, leftMs);
    expect(report.budget).toBe('met');
    return encode.mock.calls.map(([, { effort }]) => effort);
  };
  const [free, hurried] = [await effortsWithin(Infinity), await effortsWithin(25)];
  expect(Math.max(...hurried)).toBeLessThan(Math.max(...free));
});

it('encodes no second file if the first took longer than what is left', async () => {
  const photo = await photoJpeg(160, 120);
  const asked = { formats: ['webp'], effort: 'max' } as const;
  const { report } = await compressed(photo, Infinity, asked, 0.001);
  expect(report).toMatchObject({ encodes: 1, partial: 'deadline' });
  expect((await compressed(photo, Infinity, asked)).report.encodes).toBe(2);
});

it('returns an upload that quick packing does not make smaller', async () => {
  const { bytes } = await compressed(drawing, Infinity, { targetScore: 1, effort: 'max' });
  const { report } = await compressed(bytes, 0);
  expect(report).toMatchObject({ partial: 'deadline', skipReason: 'already-optimised' });
});

it('a worker may try for two thirds of the time that is left', () => {
  const requestFor = (deadlineAt: number, asked: CompressionPolicy) =>
    createRequest({ kind: 'compress', image: new Uint8Array(1), policy: asked }, deadlineAt, 1000)[0];
  const request = { kind: 'compress', uploadBytes: 1 };
  expect(requestFor(31_000, policy)).toEqual({ ...request, policy, trialMs: 20_000 });
  expect(requestFor(Infinity, policy)).toEqual({ ...request, policy });
});

describe('an image that cannot be compressed before its deadline', () => {
  const large = photoJpeg(1640, 1240);
  const leftMs = 250;

  it.each([
    ['in its own format', {}],
    ['in the smallest one', { formats: ['same', 'webp', 'avif'] }],
    ['without loss', { targetScore: 1 }],
  ] as const)('comes back as it is: %s', async (_, asked) => {
    const image = await large;
    const { bytes, report } = await compressed(image, Infinity, asked, leftMs);
    expect(report).toMatchObject({ skipReason: 'already-optimised', partial: 'deadline', encodes: 0 });
    expect(bytes).toBe(image);
  });

  it.each(['webp', 'avif'] as const)('comes back as it is: a %s', async (format) => {
    const bytes = await sharp(await photoJpeg(1040, 1000))
      .toFormat(format, { quality: 95, effort: 0 })
      .toBuffer();
    const wanted = { ...policy, formats: ['same'] };
    const timeLimit = new TimeLimit(() => leftMs);
    const upload = await readUpload(bytes, { engine, policy: wanted, stopwatch: new Stopwatch(), timeLimit });
    const { bytes: result, report } = await compressUpload(upload);
    expect(report).toMatchObject({ format, partial: 'deadline', encodes: 0 });
    expect(result).toBe(bytes);
  });

  it('is begun all the same where another file is asked for, or a byte limit', async () => {
    for (const asked of [
      { formats: ['webp'], effort: 'fast' },
      { maxDimensionPx: 400 },
      { byteLimit: { maxBytes: 60_000, allowsAny: false }, effort: 'fast' },
    ] as const)
      expect((await compressed(await large, Infinity, asked, leftMs)).report.encodes).toBeGreaterThan(0);
  });

  it('is begun if a constant of the engine says that time suffices', async () => {
    const small = await photoJpeg(1600, 1240);
    for (const { report } of [
      await compressed(await large, Infinity, { effort: 'fast' }, 320),
      await compressed(small, Infinity, { effort: 'fast' }, 1),
    ])
      expect(report.encodes).toBeGreaterThan(0);
  });
});
