/** The quality of a result by SSIMULACRA2 of test/judges, which shares no code with the score of the service. */
import sharp from 'sharp';
import type { DecodedImage } from './images';

/** Judges the whole image, in about a second a megapixel. @returns at most 100; about 80 is invisible side by side */
export async function ssimulacra2Of(source: Uint8Array, result: DecodedImage) {
  const { ssimulacra2 } = await import('../judges/ssimulacra2.mjs');
  const { width, height, data } = result;
  const upright = sharp(source, { ignoreIcc: true, limitInputPixels: false }).autoOrient();
  const decoded = sharp(data, { raw: { width, height, channels: 4 } });
  const [a, b] = await Promise.all([overWhite(upright), overWhite(decoded)]);
  return ssimulacra2({ width, height, data: a }, { width, height, data: b });
}

/** RGB. */
function overWhite(image: sharp.Sharp): Promise<Buffer> {
  return image.flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha().raw().toBuffer();
}
