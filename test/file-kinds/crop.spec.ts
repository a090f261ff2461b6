import { compressImage } from '../../src/compression/application/recipe';
import type { CompressionPolicy } from '../../src/compression/domain/compression-policy';
import type { Pixels } from '../../src/compression/domain/pixels';
import { pngOfPixels } from '../../src/compression/formats/png/png-chunks';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { policy } from '../support/default-policy';
import sharp from 'sharp';
import {
  colourAt,
  decodeIndependently,
  painted,
  photoJpeg,
  rawImage,
  type DecodedImage,
} from '../support/images';
import { ultraHdrMap, withGainMaps } from '../support/phone-files';

const WHITE = [255, 255, 255, 255];

function scene(
  width: number,
  height: number,
  flat: readonly number[],
  at: readonly [number, number],
  side = 40,
) {
  return painted(width, height, 4, (x, y) => {
    const [u, v] = [x - at[0], y - at[1]];
    if (u < 0 || v < 0 || u >= side || v >= side) return flat;
    return ((u >> 2) + (v >> 2)) % 2 ? [220, 30, 30, 255] : [250, 220, 60, 255];
  });
}
/** A gentle slope, so that no edge of the image is plain. */
function onSlope({ width, height, data, channels }: Pixels): Pixels {
  const out = new Uint8Array(data);
  for (let i = 0; i < width * height; i++)
    if (data[i * 4] === 0) out.fill(60 + Math.floor(((i % width) * 80) / width), i * 4, i * 4 + 3);
  return { width, height, channels, data: out };
}
/** A subject on it, at this place. */
const scenery = (...at: readonly [number, number]) => onSlope(scene(300, 160, [0, 0, 0, 255], at));
const pngOf = (pixels: Pixels) => Buffer.from(pngOfPixels(pixels));
const jpegOf = (pixels: Pixels, orientation = 1) =>
  rawImage(pixels)
    .removeAlpha()
    .withMetadata({ orientation })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
const isRed = ([red, green]: readonly number[]) => red > 180 && green < 240;
/** Returns how many pixels have the colours of the checkerboard. */
function subjectPixels({ width, height, data }: DecodedImage) {
  const channels = data.length / (width * height);
  let count = 0;
  for (let i = 0; i < data.length; i += channels) if (data[i] - data[i + 2] > 100) count++;
  return count;
}

describe.each(['native', 'squoosh'] as const)('the %s engine', (name) => {
  const compress = async (bytes: Uint8Array, changes: Partial<CompressionPolicy>) =>
    compressImage(bytes, await loadEngine(name), { ...policy, effort: 'fast', ...changes });
  const box = (crop: 'cover' | 'thumb', maxWidth: number, maxHeight: number) => ({
    box: { crop, maxWidth, maxHeight },
  });

  it.each([
    ['cover', 6],
    ['thumb', 8],
  ] as const)(
    'of a very large image only what is needed is scaled: %s, orientation %d',
    async (crop, turn) => {
      const resize = jest.spyOn(sharp.prototype as sharp.Sharp, 'resize');
      const source = scene(860, 20_000, [70, 110, 190, 255], [300, 15_000], 400);
      // Not plain at one edge: else a thumb shows the whole.
      source.data.set([255, 255, 255, 255], 0);
      const jpeg = await jpegOf(source, turn);
      resize.mockClear();
      const { bytes, report } = await compress(jpeg, box(crop, 860, 860));
      const sizes = resize.mock.calls as unknown as [number, number][];
      resize.mockRestore();
      for (const [width, height] of sizes) expect(width * height).toBeLessThan(2 ** 21);
      expect(report.dimensions).toEqual({ width: 860, height: 860 });
      // libvips looks at 32 x 32 pixels of the whole, so half of the subject may be cut off.
      expect(subjectPixels(decodeIndependently(bytes))).toBeGreaterThan(0.4 * 400 * 400);
    },
  );

  describe.each([
    ['JPG', (pixels: Pixels) => jpegOf(pixels)],
    ['PNG', (pixels: Pixels) => Promise.resolve(pngOf(pixels))],
  ] as const)('%s', (_, encode) => {
    it.each([
      ['left', [6, 60]],
      ['right', [250, 60]],
    ] as const)('cover keeps the subject at the %s', async (__, [x, y]) => {
      const { bytes, report } = await compress(await encode(scenery(x, y)), box('cover', 80, 80));
      expect(report).toMatchObject({
        dimensions: { width: 80, height: 80 },
        originalDimensions: { width: 300 },
      });
      const image = decodeIndependently(bytes);
      expect(image).toMatchObject({ width: 80, height: 80 });
      // Half a pixel for each of 40 x 40, and some blur at its edge.
      expect(subjectPixels(image)).toBeGreaterThan(0.8 * 20 * 20);
    });

    it('thumb shows an object on a plain background whole', async () => {
      const source = await encode(scene(300, 100, WHITE, [20, 30]));
      const { bytes } = await compress(source, box('thumb', 90, 90));
      const image = decodeIndependently(bytes);
      expect(image).toMatchObject({ width: 90, height: 90 });
      for (const v of [0.05, 0.95])
        for (const u of [0.02, 0.5, 0.98])
          expect(Math.min(...colourAt(image, u, v).slice(0, 3))).toBeGreaterThan(245);
      expect(isRed(colourAt(image, 40 / 300, 0.5))).toBe(true);
      expect(subjectPixels(image)).toBeGreaterThan(0.7 * 12 * 12);
    });

    it('thumb crops other images like cover', async () => {
      const source = await encode(scenery(250, 60));
      const thumb = await compress(source, box('thumb', 80, 80));
      const cover = await compress(source, box('cover', 80, 80));
      expect(thumb.bytes).toEqual(cover.bytes);
    });

    it.each([
      ['taller', 1000, 2000, 80, 160],
      ['wider', 1200, 400, 300, 100],
    ])('never enlarges: %s', async (__, width, height, ...expected) => {
      const source = await encode(scenery(20, 20));
      const { report } = await compress(source, box('cover', width, height));
      expect([report.dimensions.width, report.dimensions.height]).toEqual(expected);
    });
  });

  it.each([2, 3, 5, 6, 7, 8] as const)('crops the upright picture: orientation %i', async (orientation) => {
    const { bytes } = await compress(await jpegOf(scenery(250, 60), orientation), box('cover', 100, 60));
    const image = decodeIndependently(bytes);
    expect(image).toMatchObject({ width: 100, height: 60 });
    expect(subjectPixels(image)).toBeGreaterThan(0.8 * 13 * 13);
    // A subject in the corner at the lower right of the file.
    const thumb = scene(100, 60, WHITE, [80, 42], 10);
    const shown = decodeIndependently(
      (await compress(await jpegOf(thumb, orientation), box('thumb', 50, 50))).bytes,
    );
    const [u, v] = { 2: [0, 1], 3: [0, 0], 5: [1, 1], 6: [0, 1], 7: [0, 0], 8: [1, 0] }[orientation];
    const isTurned = orientation >= 5;
    const at = (side: number, isPadded: boolean) => {
      const far = isPadded ? 0.67 : 0.85;
      return side ? far : 1 - far;
    };
    expect(isRed(colourAt(shown, at(u, isTurned), at(v, !isTurned)))).toBe(true);
  });

  it('a transparent background stays transparent around a thumb', async () => {
    const source = pngOf(scene(200, 60, [0, 0, 0, 0], [80, 10]));
    const image = decodeIndependently((await compress(source, box('thumb', 50, 50))).bytes);
    expect(image).toMatchObject({ width: 50, height: 50 });
    expect([colourAt(image, 0.5, 0.02)[3], colourAt(image, 0.5, 0.5)[3]]).toEqual([0, 255]);
  });

  it.each([
    ['a colour', [255, 0, 128]],
    ['white', [255, 255, 255]],
  ] as const)('shows transparent pixels over %s', async (_, background) => {
    const half = scene(120, 80, [0, 0, 0, 0], [60, 20]);
    const data = half.data.map((v, i) => (i % 4 === 3 && v === 255 ? 128 : v));
    const source = pngOf({ ...half, data });
    const png = await compress(source, { background });
    expect(png.report).toMatchObject({ format: 'png' });
    const jpeg = await compress(source, { background, formats: ['jpeg'] });
    expect(jpeg.report.format).toBe('jpeg');
    for (const { bytes } of [png, jpeg]) {
      const image = decodeIndependently(bytes);
      const isExact = bytes === png.bytes;
      colourAt(image, 0.05, 0.05)
        .slice(0, 3)
        .forEach((sample, c) =>
          expect(Math.abs(sample - background[c])).toBeLessThanOrEqual(isExact ? 0 : 8),
        );
      expect(colourAt(image, 0.05, 0.05)[3] ?? 255).toBe(255);
      const metadata = await sharp(bytes).metadata();
      expect(metadata.hasAlpha).toBe(false);
    }
    await expect(compress(source, { formats: ['jpeg'] })).rejects.toThrow(/it has transparency/);
  });

  it('an opaque image with an alpha channel needs no background', async () => {
    const source = pngOf(scene(120, 80, WHITE, [60, 20]));
    const { report } = await compress(source, { formats: ['jpeg'] });
    expect(report.format).toBe('jpeg');
    expect((await compress(source, { background: [0, 0, 0] })).report.maxError).toBe(0);
  });
});

it('a photo is cropped without its gain map, and scaled with it', async () => {
  const engine = await loadEngine('native');
  const source = withGainMaps(await photoJpeg(320, 240), await ultraHdrMap());
  const box = { maxWidth: 100, maxHeight: 100 };
  const cropping = { ...policy, box: { ...box, crop: 'cover' } } as const;
  const cropped = await compressImage(source, engine, cropping);
  expect(cropped.report).toMatchObject({ dimensions: { width: 100, height: 100 }, removed: ['gain-map'] });
  expect((await compressImage(source, engine, { ...policy, box })).report.removed).toBeUndefined();
  // The usual result does not fit, so that the byte limit is searched for.
  const byteLimit = { maxBytes: Math.floor(0.8 * cropped.bytes.length), allowsAny: true };
  const limited = await compressImage(source, engine, { ...cropping, byteLimit });
  const { dimensions } = cropped.report;
  expect(limited.report).toMatchObject({ dimensions, removed: ['gain-map'], budget: 'met' });
});
