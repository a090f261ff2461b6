/** The quality `lossless`: no sample changes unless the image has to be scaled, and no other format changes one either. */
import { compressImage } from '../../../../src/compression/application/recipe';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { withChunks } from '../../../../src/compression/formats/png/png-metadata';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../../src/settings/settings';
import { png, textured } from '../../../support/drawn-pngs';
import { decodeIndependently, photoJpeg } from '../../../support/images';
import { gamaChunk } from '../../../file-kinds/png-parts';
import { pngOfKind } from '../../../support/png-types';

const { policy } = readSettings({ QUALITY: 'lossless' }).compression;
const engine = createNativeEngine();
const compress = (file: Uint8Array, changes: Partial<CompressionPolicy> = {}) =>
  compressImage(file, engine, { ...policy, ...changes });
const samples = (file: Uint8Array) => decodeIndependently(file).data;
const photo = () => photoJpeg(640, 480, { quality: 97 });
const graphic = png(210, 160, textured);

it('rewrites a JPG with the same samples, once', async () => {
  const source = await photo();
  const { bytes, report } = await compress(source);
  expect(bytes.length).toBeLessThan(source.length);
  expect(report).toMatchObject({ score: 1, format: 'jpeg', dimensions: { width: 640, height: 480 } });
  expect(report.quality).toBeGreaterThan(90);
  expect(samples(bytes)).toEqual(samples(source));
  expect((await compress(bytes)).report).toMatchObject({ skipReason: 'already-optimised', encodes: 0 });
});

it('leaves a rewritten JPG to later requests that allow losses', async () => {
  const { bytes } = await compress(await photo());
  const { report } = await compress(bytes, { targetScore: 0.9914 });
  expect(report.skipReason).toBeUndefined();
  expect(report.compressedSize).toBeLessThan(bytes.length * 0.8);
});

it('scales a JPG over the limit, at the strictest target', async () => {
  const { report } = await compress(await photo(), { maxDimensionPx: 320 });
  expect(report.dimensions).toEqual({ width: 320, height: 240 });
  expect(report.score).toBeGreaterThanOrEqual(0.9953);
  expect(report.score).toBeLessThan(1);
});

it.each(['webp', 'png'] as const)('writes a JPG as %s without loss if that is named', async (format) => {
  const source = await photo();
  const { report } = await compress(source, { formats: [format] });
  expect(report).toMatchObject({ format, score: 1, maxError: 0 });
});

it.each([
  ['a JPG', photo],
  ['a PNG', () => Promise.resolve(graphic)],
])('%s in a format that is chosen automatically has the same samples', async (_, source) => {
  const { report } = await compress(await source(), { formats: ['same', 'avif', 'webp'] });
  expect(report.score).toBe(1);
  expect(report.format).not.toBe('avif');
});

describe('an image that is too small to be judged', () => {
  const asked = { targetScore: 0.9914, minSavingsRatio: 0 };
  const tiny = png(12, 12, textured);

  it.each([
    ['a JPG', () => photoJpeg(15, 15, { quality: 100 })],
    ['a PNG', () => Promise.resolve(tiny)],
  ])('keeps its samples at any quality: %s', async (_, source) => {
    const file = await source();
    const { bytes, report } = await compress(file, asked);
    expect(report.score).toBe(1);
    expect(samples(bytes)).toEqual(samples(file));
  });

  it('keeps its samples as a WebP', async () => {
    const { report } = await compress(await photoJpeg(15, 15), { ...asked, formats: ['webp'] });
    expect(report).toMatchObject({ format: 'webp', score: 1 });
  });

  it('keeps its chroma, and what the highest quality does, as a JPG', async () => {
    const dots = png(4, 4, (x, y) => [(x + y) % 2 ? 230 : 20, (x + y) % 2 ? 20 : 200, 60, 255]);
    const { bytes } = await compress(dots, { ...asked, formats: ['jpeg'] });
    const after = samples(bytes);
    expect(Math.max(...samples(dots).map((value, i) => Math.abs(value - after[i])))).toBeLessThan(40);
  });

  it('may lose something for a byte limit', async () => {
    const byteLimit = { maxBytes: 300, allowsAny: false };
    const { report } = await compress(tiny, { ...asked, byteLimit });
    expect(report).toMatchObject({ dimensions: { width: 12, height: 12 } });
    expect(report.score).toBeLessThan(1);
  });
});

const deep = { colourType: 2, bitDepth: 16 } as const;

it.each([
  ['AVIF is written with loss', photo, 'avif'],
  ['AVIF is written with loss', () => Promise.resolve(graphic), 'avif'],
  ['JPG is written with loss', () => Promise.resolve(graphic), 'jpeg'],
  ['WebP would round its samples to 8 bits', () => Promise.resolve(pngOfKind(deep, 90, 70)), 'webp'],
  ['WebP would change its samples', () => Promise.resolve(withChunks(graphic, [gamaChunk(100_000)])), 'webp'],
] as const)('%s: refused', async (reason, source, format) => {
  await expect(compress(await source(), { formats: [format] })).rejects.toMatchObject({
    code: 'cannot_convert',
    message: `The image cannot be converted: ${reason}, which the quality "lossless" does not allow.`,
  });
});
