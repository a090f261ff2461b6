/** Opens files and pixels with sharp within the limits of the service; shared by the native codecs. */
import sharp, { type Sharp } from 'sharp';
import type { CmykColours, DecodeOptions } from '../../../application/codecs.port';
import type { Region } from '../../../domain/crop-plan';
import { uprightSize, type Dimensions, type Orientation } from '../../../domain/dimensions';
import type { Pixels } from '../../../domain/pixels';

// A worker compresses one image at a time, so a cache of operations would only use memory, and threads within an operation would
// compete with other workers for the same cores.
sharp.cache(false);
sharp.concurrency(1);

/** Degrees to rotate clockwise, after mirroring left to right if `mirror` (TIFF 6.0, tag 274). */
const UPRIGHT: Readonly<
  Record<Orientation, { readonly mirror: boolean; readonly degrees: 0 | 90 | 180 | 270 }>
> = {
  1: { mirror: false, degrees: 0 },
  2: { mirror: true, degrees: 0 },
  3: { mirror: false, degrees: 180 },
  4: { mirror: true, degrees: 180 },
  5: { mirror: true, degrees: 270 },
  6: { mirror: false, degrees: 90 },
  7: { mirror: true, degrees: 90 },
  8: { mirror: false, degrees: 270 },
};

/** How images are scaled. */
export const SCALED = { fit: 'fill', kernel: 'lanczos3' } as const;

export interface OpenOptions extends DecodeOptions {
  /** Size in the header of the file. */
  readonly storedSize: Dimensions;
  /** The part of the stored image to keep; it is cut first. */
  readonly part?: Region;
  readonly toSrgb?: CmykColours;
}

/**
 * Returns a sharp pipeline that yields the image upright and at the requested size. Samples stay as stored unless `toSrgb` names the
 * profile. The pixel limit of the deployment was checked earlier; here sharp is limited to the number of pixels in the header,
 * in case libjpeg or libpng reads the file differently.
 */
export function openUpright(
  bytes: Uint8Array,
  { storedSize, orientation, size, toSrgb, part }: OpenOptions,
): Sharp {
  const { mirror, degrees } = UPRIGHT[orientation];
  // failOn 'error': 'warning' refuses files of real cameras, 'none' returns grey bands for truncated files.
  const limitInputPixels = storedSize.width * storedSize.height;
  let pipeline = sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: toSrgb !== 'profile' });
  if (part) pipeline = pipeline.extract(part);
  // Resize before rotating: rotation holds the whole image in memory, and the resized one is smaller.
  if (size) {
    const { width, height } = uprightSize(size, orientation);
    pipeline = pipeline.resize(width, height, SCALED);
  }
  if (mirror) pipeline = pipeline.flop();
  if (degrees !== 0) pipeline = pipeline.rotate(degrees);
  return pipeline;
}

/** The pixel limit of the deployment was checked before these pixels were decoded. */
const limitInputPixels = false;

export function openPixels({ width, height, channels, data }: Pixels): Sharp {
  const isGrey = channels <= 2;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels }).toColourspace(
    isGrey ? 'b-w' : 'srgb',
  );
}

/** Decodes a file that this service has encoded; samples stay as stored, regardless of the profile. */
export async function decodeResult(bytes: Uint8Array): Promise<Pixels> {
  const pipeline = sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: true });
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}
