/** `compare`: the score of a result is that of its report, to four decimals, in every format. */
import sharp from 'sharp';
import type { CompressOptions } from '../../src/library/index';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { iccpChunk } from '../file-kinds/png-parts';
import { adobeRgb, lookupTable, otherLookupTable } from '../support/icc-profiles';
import { graphicPng, photoJpeg } from '../support/images';
import { library } from '../support/library';

const { compare, compress } = library;

const transparent = () =>
  sharp({ create: { width: 240, height: 180, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .composite([
      {
        input: Buffer.from(
          '<svg width="240" height="180"><defs><radialGradient id="g"><stop stop-color="#e33"/><stop offset="1" stop-color="#25e" stop-opacity="0"/></radialGradient></defs><circle cx="120" cy="90" r="85" fill="url(#g)"/></svg>',
        ),
      },
    ])
    .png()
    .toBuffer();
const edited = async (change: (photo: sharp.Sharp) => sharp.Sharp, width = 320, height = 240) =>
  change(sharp(await photoJpeg(width, height)))
    .jpeg({ quality: 95 })
    .toBuffer();
const displayP3 = () => edited((photo) => photo.withIccProfile('p3'));
const deepPng = async () =>
  sharp(await photoJpeg(200, 150))
    .toColourspace('rgb16')
    .png({ bitdepth: 16 } as object)
    .toBuffer();

const pngWithTables = async () => {
  const png = await sharp(await photoJpeg(240, 180))
    .png()
    .toBuffer();
  return Buffer.from(withChunks(png, [iccpChunk(lookupTable())]));
};

const UPLOADS: Record<string, () => Promise<Buffer>> = {
  photo: () => photoJpeg(331, 243, { quality: 95 }),
  'photo in a PNG': async () =>
    sharp(await photoJpeg(301, 203, { quality: 98 }))
      .png()
      .toBuffer(),
  drawing: () => Promise.resolve(graphicPng(300, 200)),
  'transparent drawing': transparent,
  'CMYK photo': () => edited((photo) => photo.toColourspace('cmyk')),
  'Display P3 photo': displayP3,
  'grey photo': () => edited((photo) => photo.greyscale()),
  '16-bit PNG': deepPng,
  'turned photo': () => edited((photo) => photo.withMetadata({ orientation: 6 }), 331, 243),
  'photo with lookup tables': () => photoJpeg(320, 240, { iccProfile: lookupTable() }),
  'photo with lookup tables for other viewers': () => photoJpeg(320, 240, { iccProfile: otherLookupTable() }),
  'PNG with lookup tables': pngWithTables,
};
const OPTIONS: CompressOptions[] = [
  {},
  { density: 2 },
  { format: 'avif' },
  { format: 'webp', density: 1.5 },
  { format: 'webp' },
  { maxDimension: 150 },
  { maxDimension: 200, format: 'avif', density: 2 },
];

describe.each(Object.keys(UPLOADS))('%s', (name) => {
  let upload: Buffer;
  beforeAll(async () => (upload = await UPLOADS[name]()));

  it.each(OPTIONS)('%j', async (options) => {
    const { bytes, report } = await compress(upload, options);
    const compared = await compare(upload, bytes, { density: options.density });
    const { ssim, density, width, height, format } = report;
    expect(compared).toMatchObject({ ssim, width, height, format });
    expect([compared.density, compared.originalSize, compared.imageSize]).toEqual([
      density,
      upload.length,
      bytes.length,
    ]);
    if (report.maxError !== undefined) expect(compared.maxError).toBe(report.maxError);
  });
});

it.each(['webp', 'avif'] as const)('a transparent drawing within a byte limit, as %s', async (format) => {
  const upload = await transparent();
  const usual = await compress(upload, { format });
  const { bytes, report } = await compress(upload, {
    format,
    maxBytes: Math.floor(usual.bytes.length * 0.8),
    quality: 'low',
  });
  expect((await compare(upload, bytes)).ssim).toBe(report.ssim);
});

it('a JPG that was made of a PNG keeps its lookup tables, and is compared by the same samples', async () => {
  const upload = await pngWithTables();
  const { bytes, report } = await compress(upload, { format: 'jpeg' });
  expect((await compare(upload, bytes)).ssim).toBe(report.ssim);
});

it('compares two JPGs with lookup tables as they are shown', async () => {
  const made = (quality: number, iccProfile?: Buffer) =>
    photoJpeg(320, 240, { quality, ...(iccProfile ? { iccProfile } : {}) });
  const shown = await compare(await made(95, lookupTable()), await made(50, lookupTable()));
  const samples = await compare(await made(95), await made(50));
  expect(Math.abs(shown.ssim - samples.ssim)).toBeGreaterThan(0.0005);
});

describe('Display P3 in other words', () => {
  /** The same primaries and curve with another description. */
  const renamed = async () => {
    const file = await displayP3();
    const { icc } = await sharp(file).metadata();
    const other = Buffer.from(icc!);
    // The year of the profile.
    other.writeUInt16BE(1999, 24);
    const at = file.indexOf(icc!);
    return Buffer.concat([file.subarray(0, at), other, file.subarray(at + other.length)]);
  };

  it('has the same colours', async () => {
    const [one, other] = await Promise.all([displayP3(), renamed()]);
    expect(one).not.toEqual(other);
    expect(await compare(one, other)).toMatchObject({ ssim: 1, maxError: 0 });
  });

  it('is not Adobe RGB', async () => {
    const adobe = await photoJpeg(320, 240, { iccProfile: adobeRgb() });
    await expect(compare(await displayP3(), adobe)).rejects.toMatchObject({
      code: 'cannot_compare',
      message: expect.stringContaining('colour') as string,
    });
  });
});
