import sharp from 'sharp';
import { blockOrigin, offGridOrigin } from '../../../../../src/compression/domain/history/dct-blocks';
import { detectFormerCoding } from '../../../../../src/compression/domain/history/coding-history';
import type { Orientation } from '../../../../../src/compression/domain/dimensions';
import { crop, type Pixels } from '../../../../../src/compression/domain/pixels';
import {
  equivalentQuality,
  MOZJPEG_TABLES,
  STANDARD_TABLES,
  type TableFamily,
} from '../../../../../src/compression/domain/history/quantization-tables';
import { readJpegFrame, readJpegStructure } from '../../../../../src/compression/formats/jpeg/jpeg-structure';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import {
  painted,
  photoPixels,
  pixelsOf,
  rawImage,
  samplesOf,
  texturedPixels,
} from '../../../../support/images';
import { withMetadata } from '../../../../support/jpeg-metadata';

const original = texturedPixels(512, 384);

const saved = (pixels: Pixels, quality: number, mozjpeg = false) =>
  rawImage(pixels).jpeg({ quality, mozjpeg }).toBuffer();
const opened = (file: Uint8Array) => samplesOf(sharp(file));
const stepsOf = (file: Uint8Array) => readJpegStructure(file).lumaSteps!;
const engine = createNativeEngine();
const engineTables: TableFamily = {
  name: 'engine',
  stepsAt: (quality) => engine.jpeg.lumaSteps(quality, '4:2:0'),
};
const FAMILIES = [STANDARD_TABLES, MOZJPEG_TABLES, engineTables];
/** Rotated like in a viewer; degrees clockwise. */
const turned = async (file: Uint8Array, degrees: number) =>
  samplesOf(rawImage(await opened(file)).rotate(degrees));
const historyOf = async (file: Uint8Array) => detectFormerCoding(await opened(file), stepsOf(file), FAMILIES);

it.each([
  [75, 95],
  [80, 95],
  [85, 98],
  [90, 98],
])('detects a MozJPEG coding at %i that was saved again at %i, and its table', async (first, last) => {
  const again = await saved(await opened(await saved(original, first, true)), last);
  expect(await historyOf(again)).toEqual({ quality: first, family: 'mozjpeg' });
});

it.each([
  [75, 95],
  [85, 98],
])('detects a libjpeg coding at %i, saved again at %i, within one step', async (first, last) => {
  const found = await historyOf(await saved(await opened(await saved(original, first)), last));
  expect(Math.abs(found!.quality - first)).toBeLessThanOrEqual(1);
  expect(found!.family).toBe('standard');
});

it('detects a result of this service that was saved again at 96', async () => {
  const before = await engine.jpeg.encode(original, { quality: 78, chroma: '4:2:0', purpose: 'delivery' });
  const found = await historyOf(await saved(await opened(before), 96));
  expect(found?.family).toBe('engine');
  // Neighbouring qualities share most of their steps.
  expect(Math.abs(found!.quality - 78)).toBeLessThanOrEqual(2);
});

it.each([
  [3, 180],
  [6, 90],
  [8, 270],
] as const)(
  'detects it with orientation %i (%i degrees), also if the size is not a multiple of 8',
  async (orientation, degrees) => {
    const before = await saved(texturedPixels(509, 395), 75);
    const file = await saved(await opened(before), 95);
    const upright = await turned(file, degrees);
    const blocks = crop(upright, blockOrigin(upright, orientation), { width: 376, height: 376 });
    const found = detectFormerCoding(blocks, stepsOf(file), FAMILIES, orientation >= 5);
    const quality =
      found &&
      equivalentQuality(
        FAMILIES.find(({ name }) => name === found.family)!.stepsAt(found.quality),
        STANDARD_TABLES,
      );
    expect(Math.abs(quality! - 75)).toBeLessThanOrEqual(2);
  },
);

it('finds nothing in a drawn pattern, however often it repeats', async () => {
  const pattern = painted(256, 256, 3, (x, y) => (((x >> 2) ^ (y >> 1)) & 1 ? 190 : 60));
  expect(await historyOf(await saved(pattern, 95))).toBeUndefined();
  expect(await historyOf(await saved(pattern, 98, true))).toBeUndefined();
});

it.each([75, 90, 97])('finds nothing in an image that was saved once, at %i', async (quality) => {
  expect(await historyOf(await saved(original, quality))).toBeUndefined();
  expect(await historyOf(await saved(original, quality, true))).toBeUndefined();
});

it('finds nothing if the image was cropped off the grid, or if a finer coding came first', async () => {
  const before = await opened(await saved(original, 80, true));
  const cut = await rawImage(before).extract({ left: 3, top: 5, width: 480, height: 320 }).raw().toBuffer();
  expect(await historyOf(await saved({ ...before, width: 480, height: 320, data: cut }, 95))).toBeUndefined();
  expect(await historyOf(await saved(await opened(await saved(original, 95, true)), 80))).toBeUndefined();
});

it('finds nothing in images that are too small or too plain', () => {
  const plain = pixelsOf(64, 64, 1, () => 90);
  expect(detectFormerCoding(plain, Array<number>(64).fill(1), FAMILIES)).toBeUndefined();
  const speck = photoPixels(5, 5);
  expect(detectFormerCoding(speck, Array<number>(64).fill(1), FAMILIES)).toBeUndefined();
});

/** Neither side is a multiple of 8. */
const [WIDTH, HEIGHT] = [29, 19];

/** Blocks of one shade each, no two neighbours alike. */
async function chequered(orientation: Orientation) {
  const blocks = painted(WIDTH, HEIGHT, 1, (x, y) => (((x >> 3) + (y >> 3)) % 2 ? 40 : 210));
  const jpeg = await rawImage(blocks).toColourspace('b-w').jpeg({ quality: 100 }).toBuffer();
  return withMetadata(jpeg, { orientation });
}
const spread = (samples: Uint8Array) => Math.max(...samples) - Math.min(...samples);

it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
  'finds a whole block where orientation %i has put it',
  async (orientation) => {
    const upright = await engine.jpeg.decode(await chequered(orientation), {
      header: readJpegFrame(await chequered(orientation)),
      orientation,
    });
    const origin = blockOrigin(upright, orientation);
    expect(spread(crop(upright, origin, { width: 8, height: 8 }).data)).toBeLessThan(8);
    const across = offGridOrigin(origin);
    const around = crop(upright, across, { width: 8, height: 8 });
    expect(spread(around.data)).toBeGreaterThan(150);
    // Farthest from the grid: block edges cross its middle.
    expect([Math.abs(across.left - origin.left), Math.abs(across.top - origin.top)]).toEqual([4, 4]);
  },
);
