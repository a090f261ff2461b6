/** Danger: sizes and colours at the limits of the encoders, through a running service. The same worker answers all of them. */
import sharp, { type Color } from 'sharp';
import { expectProblem } from '../support/responses';
import { samplesOf } from '../support/images';
import { bytesOf, ownServiceWithKey } from '../support/service';

const service = ownServiceWithKey({
  WORKERS: '1',
  MAX_DIMENSION_PX: '16384',
  EFFORT: 'fast',
  DEADLINE_MS: '170000',
});

const send = (file: Buffer, format: string) =>
  service.send(file, `?format=${format}`, { Accept: 'image/avif,image/webp' });

const GREY: Color = { r: 120, g: 120, b: 120 };
const RED: Color = { r: 200, g: 30, b: 20 };
const drawn = (width: number, height: number, background: Color, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background }, limitInputPixels: false });
/** Red on the left, grey on the right; a width of 1 is grey. */
const twoColours = (width: number, height: number) =>
  drawn(width, height, GREY).composite(
    width < 2
      ? []
      : [{ input: { create: { width: width >> 1, height, channels: 3, background: RED } }, left: 0, top: 0 }],
  );

const SIZES: [number, number][] = [
  [1, 1],
  [2, 3],
  [7, 5],
  [63, 65],
  [1, 16_383],
  [16_383, 1],
];
const FORMATS = ['avif', 'webp', 'auto'];

describe.each(SIZES)('%d x %d px', (width, height) => {
  it.each(FORMATS)('to %s: a file of that size that libvips decodes', async (format) => {
    const uploads = {
      'a JPG': await twoColours(width, height).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer(),
      'a grey JPG': await drawn(width, height, GREY).toColourspace('b-w').jpeg().toBuffer(),
      'a PNG of two colours': await twoColours(width, height).png().toBuffer(),
      'a grey PNG': await drawn(width, height, GREY).toColourspace('b-w').png().toBuffer(),
      'a fully transparent PNG': await drawn(width, height, { ...RED, alpha: 0 }, 4)
        .png()
        .toBuffer(),
    };
    for (const [kind, upload] of Object.entries(uploads)) {
      const response = await send(upload, format);
      expect([kind, response.status]).toEqual([kind, 200]);
      const bytes = await bytesOf(response);
      const { data, ...size } = await samplesOf(sharp(bytes).ensureAlpha());
      expect([kind, size.width, size.height]).toEqual([kind, width, height]);
      // The last pixel is grey everywhere but in the transparent image.
      const [red, green, blue, alpha] = data.subarray(-4);
      // AVIF codes alpha with loss.
      if (kind.includes('transparent')) expect(alpha).toBeLessThan(3);
      // Of six pixels of two colours, subsampled chroma mixes all.
      else if (width !== 2)
        for (const sample of [red, green, blue]) expect(Math.abs(sample - 120)).toBeLessThan(24);
    }
  });
});

describe('16384 px, one more than WebP holds', () => {
  const upload = () => twoColours(16_384, 1).png().toBuffer();

  it('WebP is refused with its limit', async () => {
    await expectProblem(send(await upload(), 'webp'), 422, 'cannot_convert', '16383 px');
  });

  it.each(['avif', 'auto', 'avif,webp'])('to %s: a file of that size', async (format) => {
    const response = await send(await upload(), format);
    expect(response.status).toBe(200);
    const { width, height, format: decoder } = await sharp(await response.arrayBuffer()).metadata();
    expect([width, height]).toEqual([16_384, 1]);
    expect(decoder).not.toBe('webp');
  });
});

it('no worker was lost', async () => {
  expect(await service.metric('workers_lost_total')).toBe(0);
});
