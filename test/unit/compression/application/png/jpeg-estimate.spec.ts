import { compress } from '../../../../support/compressing';
import { graphicPng, photoJpeg, rawImage, texturedPixels } from '../../../../support/images';

const photo = texturedPixels(400, 300);

it('of a photo in a PNG is near what a JPG takes, and the result stays a PNG', async () => {
  const { report, bytes } = await compress(await rawImage(photo).png().toBuffer());
  expect(report.format).toBe('png');
  expect(bytes[0]).toBe(0x89);
  // The best original that a JPG can be.
  const fine = await rawImage(photo).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  const jpeg = await compress(fine);
  expect(jpeg.report.skipReason).toBeUndefined();
  expect(report.jpegEstimate! / jpeg.bytes.length).toBeGreaterThan(0.85);
  expect(report.jpegEstimate! / jpeg.bytes.length).toBeLessThan(1.15);
  expect(report.jpegEstimate).toBeLessThan(bytes.length * 0.6);
});

it('is present for a grey photo, and for one that is returned unchanged', async () => {
  const grey = await compress(await rawImage(photo).greyscale().png().toBuffer());
  expect(grey.report.jpegEstimate).toBeGreaterThan(0);
  const again = await compress(grey.bytes);
  expect(again.report.skipReason).toBe('already-optimised');
  expect(again.report.jpegEstimate).toBeGreaterThan(0);
});

it.each<[string, () => Promise<Uint8Array>]>([
  ['a graphic', () => Promise.resolve(graphicPng(400, 300))],
  ['a photo with transparency', () => rawImage(photo).ensureAlpha(0.5).png().toBuffer()],
  ['a small photo', () => rawImage(texturedPixels(48, 48)).png().toBuffer()],
  ['a JPG', () => photoJpeg(400, 300)],
])('is absent for %s', async (_, image) => {
  expect((await compress(await image())).report.jpegEstimate).toBeUndefined();
});
