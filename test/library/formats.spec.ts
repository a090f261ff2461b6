import sharp from 'sharp';
import { photoJpeg } from '../support/images';
import { library } from '../support/library';

const { compress } = library;

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(320, 240, { quality: 95 })));

it.each([
  ['webp', ['webp']],
  ['jpg', ['jpeg']],
  ['auto', ['jpeg', 'avif', 'webp']],
  [
    ['webp', 'same'],
    ['jpeg', 'webp'],
  ],
])('format %j', async (format, possible) => {
  const { bytes, report } = await compress(photo, { format });
  expect(possible).toContain(report.format);
  expect(report.compressedSize).toBe(bytes.length);
  expect(report.ssim).toBeGreaterThanOrEqual(0.9914);
});

it('maxBytes: the result fits, in the format that is asked for', async () => {
  const { bytes, report } = await compress(photo, { maxBytes: 5000, format: 'webp' });
  expect(bytes.length).toBeLessThanOrEqual(5000);
  expect(report).toMatchObject({ format: 'webp', budget: 'met' });
});

it('maxBytes: takes a size as the other entry points do', async () => {
  const [text, number] = await Promise.all(
    ['5kB', 5000].map((maxBytes) => compress(photo, { maxBytes, format: 'webp' })),
  );
  expect(text.report.budget).toBe('met');
  expect(text.bytes).toEqual(number.bytes);
});

it('maxBytes: says what the image takes if nothing fits', async () => {
  await expect(compress(photo, { maxBytes: 50 })).rejects.toMatchObject({
    code: 'budget_unreachable',
    limit: 50,
    actual: expect.any(Number) as number,
  });
});

it('maxBytes: says what the file itself takes if every new one is larger', async () => {
  const file = await sharp(photo).resize(64).webp({ quality: 1 }).toBuffer();
  await expect(compress(file, { maxBytes: 50 })).rejects.toMatchObject({ actual: file.length });
});

it('allow: the smallest result where none fits', async () => {
  const { bytes, report } = await compress(photo, { maxBytes: 50, allow: 'any' });
  expect(report.budget).toBe('missed');
  expect(bytes.length).toBeLessThan(2000);
});
