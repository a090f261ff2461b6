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

it('allow: the smallest result where none fits', async () => {
  const { bytes, report } = await compress(photo, { maxBytes: 50, allow: 'any' });
  expect(report.budget).toBe('missed');
  expect(bytes.length).toBeLessThan(2000);
});

it.each([
  [{ format: [] }, 'format', /jpeg, png, webp, avif/],
  [{ format: ['webp', 1] }, 'format', /jpeg, png, webp, avif/],
  [{ format: 'gif' }, 'format', /jpeg, png, webp, avif/],
  [{ pngDepth: 16 }, 'pngDepth', /was removed; PNGs of 16 bits stay lossless/],
  [{ quality: 'lossless', maxBytes: 5000 }, 'maxBytes', /cannot be combined with the quality "lossless"/],
  [{ quality: 'lossless', density: 2 }, 'density', /cannot be combined with the quality "lossless"/],
  [{ density: 5 }, 'density', /from 1 to 4/],
  [{ maxBytes: 0 }, 'maxBytes', /integer of 1 or more/],
  [{ maxBytes: 1.5 }, 'maxBytes', /integer of 1 or more/],
  [{ maxBytes: '5 potatoes' }, 'maxBytes', /must be a number of bytes, such as 200000, 200kB or 1.5MB/],
  [{ maxBytes: '0.5' }, 'maxBytes', /1 byte or more/],
  [{ maxBytes: true }, 'maxBytes', /integer of 1 or more/],
  [{ maxInputBytes: '5kB' }, 'maxInputBytes', /integer of 1 or more/],
  [{ allow: 'any' }, 'allow', /needs maxBytes/],
  [{ maxBytes: 5000, allow: 'all' }, 'allow', /must be any/],
])('%j is refused', async (options, option, sentence) => {
  await expect(compress(photo, options as never)).rejects.toMatchObject({
    code: 'invalid_option',
    option,
    message: expect.stringMatching(sentence) as string,
  });
});
