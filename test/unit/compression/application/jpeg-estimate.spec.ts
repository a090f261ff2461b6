import sharp from 'sharp';
import { compressImage } from '../../../../src/compression/application/compress-image';
import type { Pixels } from '../../../../src/compression/domain/pixels';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { readSettings } from '../../../../src/settings/settings';
import { graphicPng, photoJpeg, texturedPixels } from '../../../support/images';

const engine = createNativeEngine();
const { policy } = readSettings({}).compression;
const compress = (image: Uint8Array) => compressImage(image, engine, policy);
const photo = texturedPixels(400, 300);
const open = ({ data, width, height }: Pixels) => sharp(data, { raw: { width, height, channels: 3 } });

it('of a photo in a PNG is near what a JPG takes, and the result stays a PNG', async () => {
  const { report, bytes } = await compress(await open(photo).png().toBuffer());
  expect(report.format).toBe('png');
  expect(bytes[0]).toBe(0x89);
  // The best original that a JPG can be.
  const fine = await open(photo).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  const jpeg = await compress(fine);
  expect(jpeg.report.skipReason).toBeUndefined();
  expect(report.jpegEstimate! / jpeg.bytes.length).toBeGreaterThan(0.85);
  expect(report.jpegEstimate! / jpeg.bytes.length).toBeLessThan(1.15);
  expect(report.jpegEstimate).toBeLessThan(bytes.length * 0.6);
});

it('is present for a grey photo, and for one that is returned unchanged', async () => {
  const grey = await compress(await open(photo).greyscale().png().toBuffer());
  expect(grey.report.jpegEstimate).toBeGreaterThan(0);
  const again = await compress(grey.bytes);
  expect(again.report.skipReason).toBe('already-optimised');
  expect(again.report.jpegEstimate).toBeGreaterThan(0);
});

it.each<[string, () => Promise<Uint8Array>]>([
  ['a graphic', () => Promise.resolve(graphicPng(400, 300))],
  ['a photo with transparency', () => open(photo).ensureAlpha(0.5).png().toBuffer()],
  ['a small photo', () => open(texturedPixels(48, 48)).png().toBuffer()],
  ['a JPG', () => photoJpeg(400, 300)],
])('is absent for %s', async (_, image) => {
  expect((await compress(await image())).report.jpegEstimate).toBeUndefined();
});
