/** The quality of a result by SSIMULACRA2 of test/judges, which shares no code with the score of the service. */
import sharp from 'sharp';
import type { DecodedImage } from './images';

/** The judge takes about a second a megapixel, so the middle of larger images is judged. */
const MAX_SIDE = 1400;

/**
 * @param source the upload, of the same dimensions as the result when upright
 * @returns at most 100; about 80 is invisible side by side
 */
export async function ssimulacra2Of(source: Uint8Array, result: DecodedImage): Promise<number> {
  const { ssimulacra2 } = await import('../judges/ssimulacra2.mjs');
  const { width, height, data } = result;
  const [w, h] = [Math.min(width, MAX_SIDE), Math.min(height, MAX_SIDE)];
  const middle = { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h };
  // The values as stored: a result that keeps its profile has the same, and sRGB needs none.
  const upright = await sharp(source, { ignoreIcc: true, limitInputPixels: false })
    .autoOrient()
    .toColourspace('srgb')
    .png({ compressionLevel: 0 })
    .toBuffer();
  const decoded = sharp(data, { raw: { width, height, channels: 4 } });
  const [a, b] = await Promise.all([cut(sharp(upright), middle), cut(decoded, middle)]);
  return ssimulacra2({ width: w, height: h, data: a }, { width: w, height: h, data: b });
}

/** RGB of a part of the image, over white. */
function cut(image: sharp.Sharp, part: sharp.Region): Promise<Buffer> {
  return image
    .extract(part)
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
}
