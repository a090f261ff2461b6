import sharp from 'sharp';
import { sampleMosaic, type Sample } from '../../../src/compression/domain/search/sample-mosaic';
import { SampleReference } from '../../../src/compression/domain/search/sample-score';
import { ScoreReference } from '../../../src/compression/domain/score/ssim-score';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { photoPixels } from '../../support/images';

async function coded(pixels: Pixels, chromaSubsampling: '4:2:0' | '4:4:4'): Promise<Pixels> {
  const { width, height, channels, data } = pixels;
  const file = await sharp(data, { raw: { width, height, channels } })
    .jpeg({ quality: 75, chromaSubsampling })
    .toBuffer();
  return { width, height, channels, data: await sharp(file).raw().toBuffer() };
}

/** The picture cut into tiles that are put together in another order: the same picture, and seams. */
function shuffled(pixels: Pixels): Sample {
  const { width, height } = pixels;
  const data = new Uint8Array(pixels.data.length);
  const [columns, count] = [width / 64, (width * height) / 4096];
  for (let tile = 0; tile < count; tile++) {
    const from = (tile * 7) % count;
    const start = (index: number) => (Math.floor(index / columns) * 64 * width + (index % columns) * 64) * 3;
    for (let y = 0; y < 64; y++) {
      const row = start(from) + y * width * 3;
      data.set(pixels.data.subarray(row, row + 192), start(tile) + y * width * 3);
    }
  }
  const tile = { width: 64, height: 64 };
  return { pixels: { ...pixels, data }, tile, isFaithful: true };
}

/** Colours that jump from tile to tile: what bleeds over a seam is far from what belongs there. */
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
  'gives tiles the score of the picture that they make up, whatever lies next to them (%s)',
  async (chroma) => {
    const picture = colourful(640, 448);
    const { pixels, tile } = shuffled(picture);
    const own = new SampleReference({ pixels: picture, tile, isFaithful: true });
    const lossInPlace = 1 - own.score(await coded(picture, chroma));
    const reference = new SampleReference({ pixels, tile, isFaithful: true });
    const loss = 1 - reference.score(await coded(pixels, chroma));
    expect(loss / lossInPlace).toBeGreaterThan(0.96);
    expect(loss / lossInPlace).toBeLessThan(1.1);
    // Scored as one picture the seams count: that is what this is there for.
    const asOne = 1 - new ScoreReference(pixels).score(await coded(pixels, chroma));
    if (chroma === '4:2:0') expect(asOne / lossInPlace).toBeGreaterThan(1.25);
  },
);

it('is the score of the picture where the sample is one piece, and 1 for what is the same', async () => {
  const picture = photoPixels(200, 150);
  const candidate = await coded(picture, '4:2:0');
  const reference = new SampleReference(sampleMosaic(picture));
  expect(reference.score(candidate)).toBeCloseTo(new ScoreReference(picture).score(candidate), 12);
  expect(reference.score(picture)).toBe(1);
  const mosaic = sampleMosaic(photoPixels(900, 700));
  expect(new SampleReference(mosaic).score(mosaic.pixels)).toBe(1);
});
