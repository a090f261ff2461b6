import sharp from 'sharp';
import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import type { Pixels } from '../../../../../src/compression/domain/pixels';
import { withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import {
  decodeIndependently,
  graphicPng,
  photoPixels,
  randomNumbers,
  rawImage,
  texturedPixels,
} from '../../../../support/images';
import { compress, refusal, within } from '../../../../support/compressing';
import { gamaChunk } from '../../../../file-kinds/png-parts';

const rawPng = (pixels: Pixels) => rawImage(pixels).png({ compressionLevel: 6 }).toBuffer();

function softDots(): Promise<Buffer> {
  const random = randomNumbers(3);
  const colours = Array.from({ length: 12 }, () =>
    Array.from({ length: 3 }, () => Math.round(random() * 255)).join(),
  );
  const shades = colours.map(
    (colour, i) =>
      `<radialGradient id="${i}"><stop stop-color="rgb(${colour})"/><stop offset="1" stop-color="white"/></radialGradient>`,
  );
  const dots = Array.from({ length: 600 }, (_, i) => {
    return `<circle cx="${(i % 30) * 13 + 12}" cy="${Math.floor(i / 30) * 14 + 12}" r="5" fill="url(#${Math.floor(random() * colours.length)})"/>`;
  });
  const svg = `<svg width="400" height="300" xmlns="http://www.w3.org/2000/svg">${shades.join('')}${dots.join('')}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

describe('a PNG', () => {
  it('of a photo gets a palette or smaller dimensions, and stays a PNG', async () => {
    const photo = await rawPng(texturedPixels(300, 240));
    const usual = await compress(photo);
    for (const share of [0.7, 0.3, 0.1]) {
      const maxBytes = Math.floor(usual.bytes.length * share);
      const { bytes, report } = await within(photo, maxBytes);
      expect(report).toMatchObject({ format: 'png', budget: 'met' });
      expect(bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(report.score).toBeGreaterThanOrEqual(QUALITY_TARGETS.low);
      const { width, height } = decodeIndependently(bytes);
      expect(report.dimensions).toEqual({ width, height });
    }
  });

  it('of grain, which takes fewer bytes without a palette, keeps its dimensions', async () => {
    const grain = await rawImage(texturedPixels(130, 130)).toColourspace('b-w').png().toBuffer();
    const [low, usual] = [await compress(grain, { targetScore: QUALITY_TARGETS.low }), await compress(grain)];
    const maxBytes = Math.floor((low.bytes.length + usual.bytes.length) / 2);
    const { report } = await within(grain, maxBytes);
    expect(report).toMatchObject({ budget: 'met', dimensions: { width: 130 } });
    expect(report.score).toBeGreaterThan(low.report.score);
  });

  it('of a graphic gets fewer colours at its own dimensions, with its transparency', async () => {
    const soft = await softDots();
    const usual = await compress(soft);
    const maxBytes = Math.floor(usual.bytes.length * 0.95);
    const { bytes, report } = await within(soft, maxBytes);
    expect(bytes.length).toBeLessThanOrEqual(maxBytes);
    expect(report).toMatchObject({ dimensions: { width: 400, height: 300 }, budget: 'met' });
    expect(report.maxError).toBeUndefined();
    const { data } = decodeIndependently(bytes);
    expect(data[3]).toBe(0);
    // The codec's palettes change a full alpha to 254.
    expect(data[(12 * 400 + 12) * 4 + 3]).toBeGreaterThanOrEqual(254);
  });

  it('of 16 bits a sample gets the pixels that one of 8 gets', async () => {
    const { data, ...raw } = texturedPixels(200, 160);
    const samples = Uint16Array.from(data, (sample, i) => sample * 257 + (i % 5));
    const deep = await sharp(samples, { raw }).toColourspace('rgb16').png().toBuffer();
    const maxBytes = 8_000;
    const { report } = await within(deep, maxBytes);
    const eight = await within(await rawPng({ data, ...raw }), maxBytes);
    expect(report).toMatchObject({ dimensions: eight.report.dimensions, removed: ['bit-depth'] });
    expect(report.bytesSaved).toBeGreaterThan(0);
  });

  it('that must stay lossless only loses dimensions', async () => {
    const graphic = withChunks(graphicPng(300, 200), [gamaChunk(100_000)]);
    const usual = await compress(graphic);
    const { numbers } = await refusal(within(graphic, 90));
    const { report } = await within(graphic, numbers.actual!);
    expect(report).toMatchObject({ score: 1, budget: 'met' });
    expect(numbers.actual).toBeLessThanOrEqual(usual.bytes.length);
  });

  it('is refused with the smallest size, and that size is reached', async () => {
    const photo = await rawPng(photoPixels(150, 100));
    const { numbers } = await refusal(within(photo, 100));
    expect((await within(photo, numbers.actual!)).report.budget).toBe('met');
    expect((await within(photo, 100, {}, true)).report.budget).toBe('missed');
  });
});
