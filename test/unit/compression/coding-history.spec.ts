import sharp from 'sharp';
import { compressImage } from '../../../src/compression/application/compress-image';
import { blockOrigin } from '../../../src/compression/domain/history/block-grid';
import { formerQuality } from '../../../src/compression/domain/history/coding-history';
import { cut, type Pixels } from '../../../src/compression/domain/pixels';
import { savedQuality } from '../../../src/compression/domain/history/saved-quality';
import { readJpegStructure } from '../../../src/compression/formats/jpeg/jpeg-structure';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../src/settings/settings';
import { photoPixels, randomNumbers } from '../../support/images';
import { withMetadata } from '../../support/jpeg-metadata';

/** Detail at every scale, as nature has it: random values 2, 4, 8 and 16 px apart, and what lies between. */
function textured(width: number, height: number): Pixels {
  const random = randomNumbers(3);
  const sum = new Float64Array(width * height).fill(128);
  for (const scale of [2, 4, 8, 16]) {
    const columns = Math.ceil(width / scale) + 1;
    const knots = Array.from({ length: columns * (Math.ceil(height / scale) + 1) }, () => random() - 0.5);
    for (let i = 0; i < sum.length; i++) {
      const [x, y] = [(i % width) / scale, Math.floor(i / width) / scale];
      const [dx, dy, at] = [x % 1, y % 1, Math.floor(y) * columns + Math.floor(x)];
      const above = knots[at] * (1 - dx) + knots[at + 1] * dx;
      const below = knots[at + columns] * (1 - dx) + knots[at + columns + 1] * dx;
      sum[i] += (above * (1 - dy) + below * dy) * 18 * Math.sqrt(scale);
    }
  }
  const data = Uint8Array.from({ length: sum.length * 3 }, (_, i) => sum[Math.floor(i / 3)] + (i % 3) * 6);
  return { width, height, channels: 3, data };
}

const original = textured(512, 384);

async function saved({ width, height, channels, data }: Pixels, quality: number, mozjpeg = false) {
  const jpeg = sharp(data, { raw: { width, height, channels } }).jpeg({ quality, mozjpeg });
  return jpeg.toBuffer();
}
async function opened(file: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}
const divisorsOf = (file: Uint8Array) => readJpegStructure(file).lumaDivisors!;
/** As a viewer shows it; degrees clockwise. */
async function turned(file: Uint8Array, degrees: number): Promise<Pixels> {
  const { width, height, channels, data } = await opened(file);
  const shown = sharp(data, { raw: { width, height, channels } }).rotate(degrees).raw();
  const { data: pixels, info } = await shown.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels, data: pixels };
}
const historyOf = async (file: Uint8Array) => formerQuality(await opened(file), divisorsOf(file));

it.each([
  [75, 95],
  [80, 95],
  [85, 98],
  [90, 98],
])(
  'finds that MozJPEG had saved at %i what was saved again at %i, and by which table',
  async (first, last) => {
    const again = await saved(await opened(await saved(original, first, true)), last);
    expect(await historyOf(again)).toEqual({ quality: first, isOurTable: true });
  },
);

it.each([
  [75, 95],
  [85, 98],
])('finds as coarse a quality of ours for libjpeg at %i, saved again at %i', async (first, last) => {
  const before = await saved(original, first);
  const found = await historyOf(await saved(await opened(before), last));
  expect(found).toEqual({ quality: savedQuality(divisorsOf(before)).quality, isOurTable: false });
});

it.each([
  [3, 180],
  [6, 90],
  [8, 270],
] as const)(
  'finds it in a picture whose orientation %i turns it by %i degrees, also off the multiples of 8',
  async (orientation, degrees) => {
    const before = await saved(textured(509, 395), 75);
    const file = await saved(await opened(before), 95);
    const upright = await turned(file, degrees);
    const blocks = cut(upright, blockOrigin(upright, orientation), { width: 376, height: 376 });
    const found = formerQuality(blocks, divisorsOf(file), orientation >= 5);
    expect(found?.quality).toBe(savedQuality(divisorsOf(before)).quality);
  },
);

it.each([1, 3, 6, 8] as const)(
  'is heeded by the recipe, with orientation %i: what came from here and was saved again more finely is not let down',
  async (orientation) => {
    const engine = createNativeEngine();
    const { policy } = readSettings({ QUALITY: 'very-high' });
    const compress = async (file: Uint8Array) => compressImage(file, engine, policy);
    const { bytes, report } = await compress(await saved(textured(509, 395), 100));
    expect(report.quality).toBeGreaterThan(50);
    const again = withMetadata(await saved(await opened(bytes), 96), { orientation });
    // The quality that it came with: rewritten losslessly.
    expect((await compress(again)).report.quality).toBe(96);
    // The same pixels without a past, as far from the blocks as can be, leave something to gain.
    const { data } = cut(await opened(bytes), { left: 4, top: 4 }, { width: 496, height: 384 });
    const shifted = await saved({ width: 496, height: 384, channels: 3, data }, 96);
    expect((await compress(withMetadata(shifted, { orientation }))).report.quality).toBeLessThan(95);
  },
);

it('finds nothing in a drawn pattern, however often it repeats', async () => {
  const data = Uint8Array.from({ length: 256 * 256 * 3 }, (_, i) => {
    const [x, y] = [Math.floor(i / 3) % 256, Math.floor(i / 768)];
    return ((x >> 2) ^ (y >> 1)) & 1 ? 190 : 60;
  });
  const pattern = { width: 256, height: 256, channels: 3, data } as const;
  expect(await historyOf(await saved(pattern, 95))).toBeUndefined();
  expect(await historyOf(await saved(pattern, 98, true))).toBeUndefined();
});

it.each([75, 90, 97])('finds nothing in a picture that was saved once, at %i', async (quality) => {
  expect(await historyOf(await saved(original, quality))).toBeUndefined();
  expect(await historyOf(await saved(original, quality, true))).toBeUndefined();
});

it('finds nothing where the blocks have been cut, or where a finer coding came first', async () => {
  const before = await opened(await saved(original, 80, true));
  const { width, height, channels, data } = before;
  const cut = await sharp(data, { raw: { width, height, channels } })
    .extract({ left: 3, top: 5, width: 480, height: 320 })
    .raw()
    .toBuffer();
  expect(await historyOf(await saved({ width: 480, height: 320, channels, data: cut }, 95))).toBeUndefined();
  expect(await historyOf(await saved(await opened(await saved(original, 95, true)), 80))).toBeUndefined();
});

it('finds nothing in pictures that are too small or too plain to say anything', () => {
  const plain = { width: 64, height: 64, channels: 1, data: new Uint8Array(64 * 64).fill(90) } as const;
  expect(formerQuality(plain, Array<number>(64).fill(1))).toBeUndefined();
  const speck = photoPixels(5, 5);
  expect(formerQuality(speck, Array<number>(64).fill(1))).toBeUndefined();
});
