import sharp from 'sharp';
import { buildMosaic, type Mosaic } from '../../../../../src/compression/domain/search/mosaic';
import { MosaicReference } from '../../../../../src/compression/domain/search/mosaic-score';
import { ScoreReference } from '../../../../../src/compression/domain/score/ssim-score';
import { blankLike, paste, type Pixels } from '../../../../../src/compression/domain/pixels';
import { photoPixels, rawImage, samplesOf } from '../../../../support/images';

const TILE = { width: 64, height: 64 };

async function coded(pixels: Pixels, chromaSubsampling: '4:2:0' | '4:4:4'): Promise<Pixels> {
  return samplesOf(sharp(await rawImage(pixels).jpeg({ quality: 75, chromaSubsampling }).toBuffer()));
}

/** The image with its tiles rearranged: the same content, with seams. */
function shuffled(pixels: Pixels): Mosaic {
  const { width, height } = pixels;
  const mosaic = blankLike(pixels, pixels);
  const [columns, count] = [width / 64, (width * height) / 4096];
  const placeOf = (index: number) => ({
    left: (index % columns) * 64,
    top: Math.floor(index / columns) * 64,
  });
  for (let index = 0; index < count; index++)
    paste(pixels, mosaic, placeOf(index), { ...placeOf((index * 7) % count), ...TILE });
  return { pixels: mosaic, tile: TILE, share: 1 };
}

/** Colours that differ from tile to tile, so that bleeding across seams is large. */
function colourful(width: number, height: number): Pixels {
  const pixels = photoPixels(width, height);
  const data = Uint8Array.from(pixels.data, (value, i) => {
    const [x, y, c] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width), i % 3];
    const tile = Math.floor(x / 64) + Math.floor(y / 64) * (width / 64);
    return 60 + value / 3 + (tile % 3 === c ? 60 : 0);
  });
  return { ...pixels, data };
}

it.each(['4:2:0', '4:4:4'] as const)(
  'gives tiles the score of their image, regardless of their neighbours (%s)',
  async (chroma) => {
    const image = colourful(640, 448);
    const { pixels, tile } = shuffled(image);
    const own = new MosaicReference({ pixels: image, tile, share: 1 });
    const lossInPlace = 1 - own.score(await coded(image, chroma)).score;
    const reference = new MosaicReference({ pixels, tile, share: 1 });
    const loss = 1 - reference.score(await coded(pixels, chroma)).score;
    expect(loss / lossInPlace).toBeGreaterThan(0.96);
    expect(loss / lossInPlace).toBeLessThan(1.1);
    // Scored as one image, the seams count.
    const asOne = 1 - new ScoreReference(pixels).score(await coded(pixels, chroma));
    if (chroma === '4:2:0') expect(asOne / lossInPlace).toBeGreaterThan(1.25);
  },
);

it('is the score of the image if the mosaic is one tile, and 1 for an identical image', async () => {
  const image = photoPixels(200, 150);
  const candidate = await coded(image, '4:2:0');
  const reference = new MosaicReference(buildMosaic(image));
  expect(reference.score(candidate).score).toBeCloseTo(new ScoreReference(image).score(candidate), 12);
  expect(reference.score(image)).toEqual({ score: 1, relativeError: 0 });
  const mosaic = buildMosaic(photoPixels(900, 700));
  expect(new MosaicReference(mosaic).score(mosaic.pixels)).toEqual({ score: 1, relativeError: 0 });
});

/** Some of the 64×64 tiles of an image, in a row. */
function tilesInARow(pixels: Pixels, wanted: readonly number[]): Pixels {
  const columns = pixels.width / 64;
  const row = blankLike(pixels, { width: wanted.length * 64, height: 64 });
  wanted.forEach((tile, i) => {
    const from = { left: (tile % columns) * 64, top: Math.floor(tile / columns) * 64 };
    paste(pixels, row, { left: i * 64, top: 0 }, { ...from, ...TILE });
  });
  return row;
}

it('reports its standard error as the jackknife over tiles finds it, less for a larger share', async () => {
  const image = colourful(512, 256);
  // Detail in one corner, so that tiles differ as in a photo.
  image.data.forEach((value, i) => {
    const x = Math.floor(i / 3) % 512;
    image.data[i] = value + (x > 320 && i < 512 * 160 * 3 ? ((i * 7919) % 61) - 30 : 0);
  });
  const decoded = await coded(image, '4:4:4');
  const all = Array.from({ length: 32 }, (_, i) => i);
  const measured = (tiles: readonly number[], share: number) => {
    const mosaic = { pixels: tilesInARow(image, tiles), tile: TILE, share };
    return new MosaicReference(mosaic).score(tilesInARow(decoded, tiles));
  };
  const without = (left: number) => all.filter((tile) => tile !== left);
  const losses = all.map((left) => 1 - measured(without(left), 0).score);
  const mean = losses.reduce((a, b) => a + b, 0) / 32;
  const jackknife = Math.sqrt((31 / 32) * losses.reduce((sum, loss) => sum + (loss - mean) ** 2, 0));
  const { score, relativeError } = measured(all, 0);
  expect(jackknife / (1 - score)).toBeGreaterThan(0.02);
  expect(relativeError / (jackknife / (1 - score))).toBeCloseTo(1, 1);
  expect(measured(all, 0.75).relativeError).toBeCloseTo(relativeError / 2, 12);
  expect(measured(all, 1).relativeError).toBe(0);
});

it('reports the missing share of a single piece as its error', async () => {
  const image = photoPixels(200, 150);
  const reference = new MosaicReference({ pixels: image, tile: image, share: 0.9 });
  expect(reference.score(await coded(image, '4:2:0')).relativeError).toBeCloseTo(0.1, 12);
});

it.each([
  [12, 12_000],
  [9, 16_000],
  [40, 6_000],
])('scores tiles of an image of %i x %i px, which may be narrower than two borders', (width, height) => {
  const mosaic = buildMosaic(photoPixels(width, height), undefined, { seamPx: 8 });
  expect(mosaic.tile.width).toBe(width);
  const reference = new MosaicReference(mosaic, 8);
  expect(reference.score(mosaic.pixels).score).toBe(1);
  const darker = { ...mosaic.pixels, data: mosaic.pixels.data.map((value, i) => value - (i % 7) * 2) };
  expect(reference.score(darker).score).toBeLessThan(1);
});
