/** What the two native codecs share: opening a file with sharp under our limits, upright and scaled. */
import sharp, { type Sharp } from 'sharp';
import type { DecodeOptions } from '../../../application/codecs.port';
import { uprightSize, type Orientation } from '../../../domain/dimensions';

// A worker handles one image at a time: a cache of operations would only hold memory, and threads inside an
// operation would compete with the other workers for the same cores.
sharp.cache(false);
sharp.concurrency(1);

/** Turn clockwise by degrees, after mirroring left to right where `mirror` (TIFF 6.0, tag 274). */
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

/**
 * A sharp pipeline that yields the picture upright and at the asked size. Samples stay as stored unless
 * `toSrgb`. The pixel limit is checked against the header before any codec is asked, hence off here.
 */
export function openUpright(
  bytes: Uint8Array,
  { orientation, size, toSrgb }: DecodeOptions & { readonly toSrgb?: boolean },
): Sharp {
  const { mirror, degrees } = UPRIGHT[orientation];
  // failOn 'error': 'warning' refuses real camera files, 'none' delivers grey bands for truncated ones.
  let pipeline = sharp(bytes, { failOn: 'error', limitInputPixels: false, ignoreIcc: !toSrgb });
  // Scaled first, then turned: a picture that is to be turned is held as a whole, and the scaled one is small.
  if (size) {
    const { width, height } = uprightSize(size, orientation);
    pipeline = pipeline.resize(width, height, { fit: 'fill', kernel: 'lanczos3' });
  }
  if (mirror) pipeline = pipeline.flop();
  if (degrees !== 0) pipeline = pipeline.rotate(degrees);
  return pipeline;
}
