/** Opens CMYK files without a profile, which sharp would convert with its own profile. */
import sharp, { type Sharp } from 'sharp';
import { coveringSize, uprightSize } from '../../../domain/dimensions';
import { cropped } from './sharp-crop';
import { openUpright, type OpenOptions } from './sharp-pipeline';

const INKS = 4;

/** Returns a pipeline that yields RGB as browsers show it, upright at the requested size, and cropped if requested. */
export async function openPlainCmyk(jpeg: Uint8Array, options: OpenOptions): Promise<Sharp> {
  const { storedSize, orientation, size, crop } = options;
  const isCropped = size !== undefined && crop !== undefined;
  const whole = isCropped ? coveringSize(uprightSize(storedSize, orientation), size) : size;
  const { data, info } = await openUpright(jpeg, {
    storedSize,
    orientation,
    ...(whole ? { size: whole } : {}),
  })
    // Otherwise sharp converts to sRGB and back.
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const rgb = sharp(rgbOf(data), { raw: { width, height, channels: 3 }, limitInputPixels: false });
  return isCropped ? cropped(await rgb.png({ compressionLevel: 0 }).toBuffer(), size, crop) : rgb;
}

/** Each ink absorbs its share of the light that black leaves. */
function rgbOf(cmyk: Uint8Array): Uint8Array {
  const out = new Uint8Array((cmyk.length / INKS) * 3);
  for (let from = 0, to = 0; from < cmyk.length; from += INKS) {
    const left = 255 - cmyk[from + 3];
    for (let c = 0; c < 3; c++) out[to++] = Math.round(((255 - cmyk[from + c]) * left) / 255);
  }
  return out;
}
