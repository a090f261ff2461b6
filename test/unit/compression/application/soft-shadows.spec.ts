/** Uploads that lost something are judged like photos, but for drawings with transparency, whose soft shadows would break up. */
import sharp from 'sharp';
import { readUpload } from '../../../../src/compression/application/read-upload';
import { compressUpload } from '../../../../src/compression/application/recipe';
import { Stopwatch } from '../../../../src/compression/application/context';
import { engine, policy } from '../../../support/compressing';

it('keeps the shadow of an icon that was saved as a lossy AVIF', async () => {
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128"><filter id="f" x="-1" y="-1" width="3" height="3"><feGaussianBlur stdDeviation="7"/></filter><rect x="28" y="32" width="72" height="72" rx="18" fill-opacity=".6" filter="url(#f)"/><rect x="28" y="28" width="72" height="72" rx="18" fill="#fa5a3c"/></svg>`;
  const bytes = await sharp(Buffer.from(icon)).avif({ quality: 85 }).toBuffer();
  const upload = await readUpload(bytes, { engine, policy, stopwatch: new Stopwatch() });
  const { bytes: result } = await compressUpload(upload);
  const alphaOf = (file: Uint8Array) => sharp(file).extractChannel(3).raw().toBuffer();
  const [before, after] = [await alphaOf(bytes), await alphaOf(result)];
  // As a photo, 47 of 255.
  expect(Math.max(...before.map((alpha, i) => Math.abs(alpha - after[i])))).toBeLessThan(35);
});
