import sharp from 'sharp';
import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import { ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { decodeIndependently, photoJpeg, rawImage, texturedPixels, turned } from '../../../../support/images';
import { compress, decodeJpeg, refusal, within } from '../../../../support/compressing';
import { withMetadata } from '../../../../support/jpeg-metadata';
import { motionVideo, ultraHdrMap, withGainMaps } from '../../../../support/phone-files';

describe('a photo', () => {
  let photo: Buffer;
  let usual: Awaited<ReturnType<typeof compress>>;
  beforeAll(async () => {
    photo = await rawImage(texturedPixels(450, 350)).jpeg({ quality: 95 }).toBuffer();
    usual = await compress(photo);
  });

  /** A part of the size of the usual result. */
  const shareOf = (share: number) => Math.floor(usual.bytes.length * share);

  it('is the usual result if that fits', async () => {
    const { bytes, report } = await within(photo, usual.bytes.length);
    expect(bytes).toEqual(usual.bytes);
    expect(report.budget).toBe('met');
    expect(usual.report.budget).toBeUndefined();
  });

  it('loses quality first, and its score is that of the delivered pixels', async () => {
    const maxBytes = shareOf(0.85);
    const { bytes, report } = await within(photo, maxBytes);
    expect(bytes.length).toBeLessThanOrEqual(maxBytes);
    expect(bytes.length).toBeGreaterThan(maxBytes * 0.9);
    expect(report).toMatchObject({ budget: 'met', compressedSize: bytes.length, dimensions: { width: 450 } });
    expect(report.quality).toBeLessThan(usual.report.quality!);
    expect(report.score).toBeGreaterThanOrEqual(QUALITY_TARGETS.low);
    const reference = new ScoreReference(await decodeJpeg(photo));
    expect(reference.score(await decodeJpeg(bytes))).toBeCloseTo(report.score, 9);
  });

  it('keeps its dimensions if the usual result at low fits', async () => {
    const soft = await rawImage(texturedPixels(240, 190)).blur(1.1).jpeg({ quality: 80 }).toBuffer();
    const low = await compress(soft, { targetScore: QUALITY_TARGETS.low });
    for (const allowsAny of [false, true]) {
      const { report } = await within(soft, low.bytes.length, {}, allowsAny);
      expect(report).toMatchObject({ budget: 'met', dimensions: { width: 240 } });
    }
  });

  it('then loses dimensions, but never quality below low', async () => {
    const maxBytes = shareOf(0.2);
    const { bytes, report } = await within(photo, maxBytes);
    expect(bytes.length).toBeLessThanOrEqual(maxBytes);
    expect(report.score).toBeGreaterThanOrEqual(QUALITY_TARGETS.low);
    const { width, height } = decodeIndependently(bytes);
    expect(report.dimensions).toEqual({ width, height });
    expect(width).toBeLessThan(450);
    expect(width / height).toBeCloseTo(450 / 350, 1);
  });

  it.each([
    { orientation: 1, format: 'jpeg', digits: 3 },
    { orientation: 6, format: 'jpeg', digits: 3 },
    // Without its gain map, it is rotated; the decoder scales it.
    { orientation: 6, format: 'webp', digits: 1 },
  ] as const)('is not shifted by scaling, at orientation $orientation as $format', async (asked) => {
    const { orientation, format, digits } = asked;
    const tagged = withMetadata(photo, { orientation });
    const upload = format === 'webp' ? withGainMaps(tagged, await ultraHdrMap()) : tagged;
    const { bytes, report } = await within(upload, shareOf(0.08), {
      formats: [format],
    });
    const { width, height } = report.dimensions;
    const data = await sharp(bytes).removeAlpha().raw().toBuffer();
    const original = rawImage({ ...turned(decodeIndependently(photo), orientation), channels: 4 });
    const scaled = original.removeAlpha().resize(width, height, { fit: 'fill', kernel: 'lanczos3' });
    const reference = new ScoreReference({ width, height, channels: 3, data: await scaled.raw().toBuffer() });
    expect(Math.max(width, height)).toBeLessThan(150);
    expect(reference.score({ width, height, channels: 3, data })).toBeCloseTo(report.score, digits);
  });

  it('keeps its dimensions longer if any quality is allowed', async () => {
    const maxBytes = shareOf(0.5);
    const [careful, any] = [await within(photo, maxBytes), await within(photo, maxBytes, {}, true)];
    expect(any.bytes.length).toBeLessThanOrEqual(maxBytes);
    expect(any.report.dimensions.width).toBeGreaterThan(careful.report.dimensions.width);
    expect(any.report.score).toBeLessThan(QUALITY_TARGETS.low);
  });

  it('gives the same bytes each time', async () => {
    const [once, again] = [await within(photo, 5_000), await within(photo, 5_000)];
    expect(once.bytes).toEqual(again.bytes);
  });

  it('is refused with the smallest size, and that size is reached', async () => {
    const { code, numbers } = await refusal(within(photo, 300));
    expect(code).toBe('budget_unreachable');
    expect(numbers.limit).toBe(300);
    const { bytes, report } = await within(photo, numbers.actual!);
    expect(bytes.length).toBeLessThanOrEqual(numbers.actual!);
    expect(report.budget).toBe('met');
    expect((await refusal(within(photo, bytes.length - 1))).code).toBe('budget_unreachable');
  });

  it('is the smallest possible result if nothing fits and any result is allowed', async () => {
    const { bytes, report } = await within(photo, 300, {}, true);
    expect(report.budget).toBe('missed');
    expect(bytes.length).toBeGreaterThan(300);
    expect(report.dimensions.width).toBe(Math.round(450 / 8));
  });

  it('is returned unchanged when it is uploaded again, and made smaller for a lower byte limit', async () => {
    const first = await within(photo, shareOf(0.85));
    const again = await within(first.bytes, first.bytes.length);
    expect(again.report).toMatchObject({ skipReason: 'already-optimised', budget: 'met' });
    expect((await compress(first.bytes)).report.skipReason).toBe('already-optimised');
    const smaller = await within(first.bytes, Math.floor(first.bytes.length * 0.6));
    expect(smaller.report.budget).toBe('met');
    expect(smaller.bytes.length).toBeLessThanOrEqual(first.bytes.length * 0.6);
    expect(smaller.report.score).toBeGreaterThanOrEqual(QUALITY_TARGETS.low);
  });

  it('is replaced however little is saved, if the upload is over the byte limit', async () => {
    const maxBytes = photo.length - 1;
    const asked = { minSavingsRatio: 0.99 };
    expect((await compress(photo, asked)).report.skipReason).toBeDefined();
    expect((await within(photo, photo.length, asked)).report).toMatchObject({
      skipReason: 'already-optimised',
      budget: 'met',
    });
    expect((await within(photo, maxBytes, asked)).bytes.length).toBeLessThan(photo.length);
  });

  it('uses no more than the target, if that is lower than low', async () => {
    const { report } = await within(photo, shareOf(0.3), { targetScore: 0.95 });
    expect(report.score).toBeGreaterThanOrEqual(0.95);
  });

  it('respects a smaller maximum dimension', async () => {
    const { report } = await within(photo, 8_000, { maxDimensionPx: 200 });
    expect(report.dimensions.width).toBeLessThanOrEqual(200);
    expect(report.budget).toBe('met');
  });
});

describe('a photo that must not lose more', () => {
  it('loses dimensions instead of quality', async () => {
    const coarse = await photoJpeg(600, 400, { quality: 35 });
    const { report, bytes } = await within(coarse, Math.floor(coarse.length * 0.6));
    expect(report.dimensions.width).toBeLessThan(600);
    expect(bytes.length).toBeLessThanOrEqual(coarse.length * 0.6);
  });
});

describe('files that must not change', () => {
  it('a tiny image is refused, or returned when any result is allowed', async () => {
    const tiny = await photoJpeg(8, 8);
    const { numbers } = await refusal(within(tiny, 20));
    expect(numbers.actual).toBeLessThanOrEqual(tiny.length);
    const { report } = await within(tiny, 20, {}, true);
    expect(report).toMatchObject({ budget: 'missed', dimensions: { width: 8, height: 8 } });
    const avif = await sharp(tiny).avif({ quality: 1 }).toBuffer();
    const kept = await within(avif, 20, {}, true);
    expect(kept.report).toMatchObject({ skipReason: 'already-optimised', budget: 'missed' });
  });

  it('a motion photo loses its video', async () => {
    const motion = Buffer.concat([await photoJpeg(320, 240), motionVideo]);
    expect((await within(motion, 5000)).report).toMatchObject({ budget: 'met', removed: ['motion-video'] });
  });
});

describe('a photo of a product', () => {
  it('keeps its ground pure white', async () => {
    const product = await rawImage(texturedPixels(200, 160))
      .extend({ top: 60, bottom: 60, left: 80, right: 80, background: 'white' })
      .jpeg({ quality: 95 })
      .toBuffer();
    const usual = await compress(product);
    for (const share of [0.8, 0.5, 0.3]) {
      const { bytes } = await within(product, Math.floor(usual.bytes.length * share), {}, true);
      const { data: pixels, width: across } = decodeIndependently(bytes);
      const middleOfTop = (4 * across + Math.floor(across / 2)) * 4;
      expect([...pixels.slice(0, 3), ...pixels.slice(middleOfTop, middleOfTop + 3)]).toEqual(
        Array(6).fill(255),
      );
    }
  });
});

describe('a graphic that becomes a JPG', () => {
  it('loses quality before its dimensions', async () => {
    const dots = Array.from(
      { length: 400 },
      (_, i) => `<circle cx="${(i * 89) % 400}" cy="${(i * 53) % 300}" r="3" fill="hsl(${i % 40},90%,60%)"/>`,
    );
    const svg = `<svg width="400" height="300" xmlns="http://www.w3.org/2000/svg"><rect width="400" height="300" fill="#0b0f14"/>${dots.join('')}</svg>`;
    const chart = await sharp(Buffer.from(svg)).png().toBuffer();
    const asked = { formats: ['jpeg'] } as const;
    const usual = await compress(chart, asked);
    const { report } = await within(chart, Math.floor(usual.bytes.length * 0.6), asked, true);
    expect(report.dimensions).toEqual({ width: 400, height: 300 });
    expect(report.quality).toBeLessThan(usual.report.quality!);
    expect(report.score).toBeGreaterThan(0.94);
  });
});
