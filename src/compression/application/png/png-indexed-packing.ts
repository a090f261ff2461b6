/** Writes indexed images as PNG, with the number of bits per index that makes the file smaller. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../../domain/compression-policy';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { leastDepth, packedRows, pngOfIndexed, type BitDepth } from '../../formats/png/png-indexed';
import type { PngCodec } from '../codecs.port';
import { ESTIMATING_LEVEL } from './png-codings';

/** The rows of an indexed image at a number of bits per index. */
export interface Packing {
  readonly depth: BitDepth;
  readonly rows: Uint8Array;
  /** Estimated bytes of the deflated rows; comparable with the estimate of a near-lossless draft. */
  readonly estimate: number;
}

/** Fewer bits per index suit noise; whole bytes suit repetitions. */
export function smallerPacking(image: IndexedImage): Packing {
  const least = leastDepth(image);
  const whole = packingAt(image, 8);
  if (least === 8) return whole;
  const narrow = packingAt(image, least);
  return narrow.estimate < whole.estimate ? narrow : whole;
}

function packingAt(image: IndexedImage, depth: BitDepth): Packing {
  const rows = packedRows(image, depth);
  return { depth, rows, estimate: deflateSync(rows, { level: ESTIMATING_LEVEL }).length };
}

/** Returns the file, compressed as well as the effort allows. */
export async function packIndexed(
  image: IndexedImage,
  codec: PngCodec,
  effort: Effort,
  { depth, rows } = smallerPacking(image),
): Promise<Uint8Array> {
  if (effort !== 'max') return pngOfIndexed(image, depth, await codec.deflate(rows, effort));
  return codec.optimise(pngOfIndexed(image, depth, await codec.deflate(rows, 'balanced')), effort);
}
