/** Test images made in code, without files from outside of the repository. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import type { Orientation } from '../../src/compression/domain/dimensions';
import { photoPixels, type DecodedImage } from '../../src/compression/conformance/images';
import { withMetadata } from './jpeg-metadata';

export {
  decodeIndependently,
  photoPixels,
  randomNumbers,
  texturedPixels,
  type DecodedImage,
} from '../../src/compression/conformance/images';

export interface JpegOptions {
  readonly quality?: number;
  readonly chroma?: '4:2:0' | '4:4:4';
  readonly orientation?: Orientation;
  readonly iccProfile?: Uint8Array;
}

/** A JPEG as a camera would save it: high quality, baseline. */
export async function photoJpeg(width: number, height: number, options: JpegOptions = {}): Promise<Buffer> {
  const { quality = 95, chroma = '4:2:0', orientation, iccProfile } = options;
  const jpeg = await sharp(photoPixels(width, height).data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality, chromaSubsampling: chroma })
    .toBuffer();
  return Buffer.from(
    withMetadata(jpeg, { ...(orientation ? { orientation } : {}), ...(iccProfile ? { iccProfile } : {}) }),
  );
}

/** An image like a screenshot, with alpha, written by pngjs with little effort, so that it can become smaller. */
export function graphicPng(width: number, height: number): Buffer {
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      const inBox = (x >> 4) % 3 === 0 && (y >> 4) % 2 === 0;
      png.data[i] = inBox ? 200 : 245;
      png.data[i + 1] = inBox ? 40 + (x % 16) : 245;
      png.data[i + 2] = inBox ? 60 : 250;
      png.data[i + 3] = y < height / 4 ? 128 : 255;
    }
  }
  return PNG.sync.write(png, { deflateLevel: 1, filterType: 0 });
}

/** Returns the colour at a position given as fractions of width and height. */
export function colourAt({ width, height, data }: DecodedImage, u: number, v: number): number[] {
  const x = Math.min(width - 1, Math.floor(u * width));
  const y = Math.min(height - 1, Math.floor(v * height));
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** Returns the root-mean-square difference of R, G and B, of 255. */
export function rmse(a: DecodedImage, b: DecodedImage): number {
  if (a.width !== b.width || a.height !== b.height) return Infinity;
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) {
    if (i % 4 !== 3) sum += (a.data[i] - b.data[i]) ** 2;
  }
  return Math.sqrt(sum / (a.width * a.height * 3));
}
