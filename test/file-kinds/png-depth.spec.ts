/** PNGs of 16 bits keep them unless 8 suffice. sharp and pngjs show 16 bits differently, results alike. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { maxDifference, type Pixels } from '../../src/compression/domain/pixels';
import { decodeIndependently, samplesOf } from '../support/images';
import { PNG_KINDS, pngOfKind, type PngKind } from '../support/png-types';
import { expectUnchanged, withEveryEngine } from './engines';

/** Large enough for palettes and near-lossless results to pay. */
const LARGE = [220, 150] as const;
/** What holds for every size is tested on this one. */
const SMALL = [61, 43] as const;
const eight = (x: number, y: number, channel: number) =>
  (90 +
    60 * Math.sin(x / 23 + channel) +
    50 * Math.cos(y / 17) +
    ((Math.imul(x * 31 + y, 0x9e3779b1) >>> 13) & 7)) &
  0xff;
const noise = (x: number, y: number, channel: number) =>
  (Math.imul(((y * LARGE[0] + x) * 4 + channel) ** 2, 2_654_435_761) >>> 13) & 0xff;
const exact = (x: number, y: number, c: number) => eight(x, y, c) * 257;
const padded = (x: number, y: number, c: number) => eight(x, y, c) * 256;
const exported = (x: number, y: number, c: number) => eight(x, y, c) * 256 + noise(x, y, c);
const oddOnce = (x: number, y: number, c: number) =>
  exact(x, y, c) ^ (x === SMALL[0] - 1 && y === SMALL[1] - 2 ? 1 : 0);

const depthOf = (png: Uint8Array) => png[24];
const rgba = (png: Uint8Array): Pixels => ({ ...decodeIndependently(png), channels: 4 });
const bySharp = (png: Uint8Array) => samplesOf(sharp(png).toColourspace('srgb').ensureAlpha());
const deep = (png: Uint8Array) => PNG.sync.read(Buffer.from(png), { skipRescale: true }).data;
const kinds = PNG_KINDS.filter(([, { bitDepth }]) => bitDepth === 16);
const rgb: PngKind = { colourType: 2, bitDepth: 16 };
type Sample = (x: number, y: number, c: number) => number;
const draw = (kind: PngKind, sample: Sample) => pngOfKind(kind, ...SMALL, sample);
const drawn = new Map<Sample, Buffer>();
function large(sample: Sample) {
  const image = drawn.get(sample) ?? pngOfKind(rgb, ...LARGE, sample);
  drawn.set(sample, image);
  return image;
}

withEveryEngine((compress, engine) => {
  it.each(kinds)(
    '%s: samples with two equal bytes get 8 bits, the same in every decoder; so do samples padded with zeros, so that white stays white',
    async (_, kind) => {
      for (const sample of [exact, padded]) {
        const source = draw(kind, sample);
        const { bytes, report } = await compress(source, { QUALITY: 'lossless' });
        expect(depthOf(bytes)).toBe(8);
        // pngjs rounds samples that are padded.
        if (sample === exact) expect(maxDifference(rgba(source), rgba(bytes))).toBe(0);
        expect(maxDifference(await bySharp(source), await bySharp(bytes))).toBe(0);
        expect(report).toMatchObject({ score: 1, maxError: 0 });
        expect(report.removed).toBeUndefined();
      }
    },
  );

  it('names the bits that go when it is scaled', async () => {
    const { bytes, report } = await compress(large(exported), {}, { maxDimensionPx: 110 });
    expect([depthOf(bytes), report.removed]).toEqual([8, ['bit-depth']]);
  });

  it.each(kinds)('%s: with one low bit that differs, all 16 bits stay', async (_, kind) => {
    const source = draw(kind, oddOnce);
    const { bytes } = await compress(source, { MIN_SAVINGS_PERCENT: '0' });
    expect(depthOf(bytes)).toBe(16);
    expect(deep(bytes)).toEqual(deep(source));
  });

  it('one sample that is not padded keeps 16 bits for all', async () => {
    const source = draw(rgb, (x, y, c) => padded(x, y, c) | (x === 5 && y === 7 ? 3 : 0));
    expect(depthOf((await compress(source, { MIN_SAVINGS_PERCENT: '0' })).bytes)).toBe(16);
  });

  it('an image that needs only 8 bits may lose what any image of 8 bits may', async () => {
    const source = large(exact);
    const kept = await compress(source, { QUALITY: 'lossless' });
    const { bytes, report } = await compress(source);
    expect(bytes.length).toBeLessThan(kept.bytes.length * 0.85);
    expect(report.score).toBeGreaterThan(0.993);
    await expectUnchanged(compress, bytes);
  });

  it('tells nothing of bits that were not needed when it changes the format', async () => {
    if (engine === 'squoosh') return;
    const { report } = await compress(large(exact), { FORMAT: 'webp' });
    expect(report).toMatchObject({ format: 'webp' });
    expect(report.removed).toBeUndefined();
    expect((await compress(large(exported), { FORMAT: 'webp' })).report.removed).toEqual(['bit-depth']);
    expect((await compress(large(exported), { FORMAT: 'auto' })).report.format).toBe('png');
  });

  it('damaged data of 16 bits are refused as before', async () => {
    const source = draw(rgb, exact);
    const wrong = Buffer.from(source);
    wrong[Math.floor(wrong.length / 2)] ^= 0x55;
    await expect(compress(wrong)).rejects.toMatchObject({ code: 'undecodable_image' });
  });
});
