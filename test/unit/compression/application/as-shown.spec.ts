/** What no score notices: a ground that is no longer pure, rings in a soft shadow, and a density that costs bytes. */
import sharp from 'sharp';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { compress as compressImage } from '../../../support/compressing';
import { painted, randomNumbers, rawImage, samplesOf } from '../../../support/images';

const compress = async (image: Uint8Array, asked: Partial<CompressionPolicy>) =>
  (await compressImage(image, asked)).bytes;
const drawing = (content: string) =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240">${content}</svg>`));

describe.each([
  ['white', 255],
  ['black', 0],
])('a ground of pure %s', (ground, shade) => {
  const product = drawing(`<defs><radialGradient id="g"><stop offset="0" stop-color="#c04020"/>
    <stop offset="1" stop-color="#203060"/></radialGradient></defs>
    <rect width="320" height="240" fill="${ground}"/><circle cx="160" cy="120" r="60" fill="url(#g)"/>`);

  it.each([
    ['jpeg', { density: 2 }],
    ['jpeg', { density: 3 }],
    ['jpeg', { targetScore: 0.983 }],
    ['webp', { density: 2 }],
    ['avif', { density: 3 }],
  ] as const)('stays pure as %s with %j', async (format, asked) => {
    const upload = await product.clone().jpeg({ quality: 97, chromaSubsampling: '4:4:4' }).toBuffer();
    const result = sharp(await compress(upload, { ...asked, formats: [format] })).removeAlpha();
    const { data, width, height } = await samplesOf(result);
    const [last, row] = [width - 1, width * (height - 1)];
    for (const corner of [0, last, row, row + last])
      expect([...data.subarray(corner * 3, corner * 3 + 3)]).toEqual([shade, shade, shade]);
  });
});

it('keeps the levels of a soft shadow at a density of 2', async () => {
  const card = drawing(`<defs><filter id="s" x="-50%" y="-50%" width="200%" height="200%">
    <feGaussianBlur stdDeviation="14"/></filter></defs>
    <rect x="70" y="60" width="180" height="120" rx="12" fill="black" fill-opacity="0.6" filter="url(#s)"/>
    <rect x="70" y="50" width="180" height="120" rx="12" fill="white"/>`);
  const upload = await card.png().toBuffer();
  const result = await compress(upload, { density: 2 });
  const onWhite = async (png: Uint8Array) => {
    const shown = sharp(png).flatten({ background: 'white' }).toColourspace('b-w');
    return shown.resize(160, 120, { kernel: 'linear' }).raw().toBuffer();
  };
  const [before, after] = [await onWhite(upload), await onWhite(result)];
  const largest = Math.max(...before.map((sample, i) => Math.abs(sample - after[i])));
  expect(result.length).toBeLessThan(upload.length);
  expect(largest).toBeLessThanOrEqual(10);
});

it('takes no more bytes at a higher density', async () => {
  const [width, height] = [640, 480];
  const noise = randomNumbers(1);
  const dithered = painted(width, height, 3, (x, y) =>
    [0, 1, 2].map(() => Math.floor(8 + (15.4 * x) / width + (6.6 * y) / height + 2 * noise())),
  );
  const upload = await rawImage(dithered).png().toBuffer();
  const single = await compress(upload, {});
  for (const density of [2, 3]) {
    const { length } = await compress(upload, { density });
    // The marker holds the density in one byte more.
    expect(length).toBeLessThanOrEqual(single.length + 1);
  }
});
