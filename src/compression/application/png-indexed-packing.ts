/** Writes indexed images as PNG, with the bits per index that make the smaller file. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../domain/compression-policy';
import { indexed, type IndexedImage } from '../domain/palette/indexed-image';
import type { Pixels } from '../domain/pixels';
import { leastDepth, packedRows, pngOfIndexed } from '../formats/png/png-indexed';
import type { PngCodec } from './codecs.port';
import { ESTIMATING_LEVEL } from './png-codings';

/** zlib's default level, and the share of its size that only the best compressors reach for palette images. */
const USUAL_LEVEL = 6;
const TIGHT = 0.94;

/** Returns whether a file of at most 256 colours is already as small as the best compressors make it. */
export function isTightlyPacked(pixels: Pixels, fileBytes: number): boolean {
  const image = indexed(pixels);
  const least = leastDepth(image);
  const usual = deflateSync(packedRows(image, least), { level: USUAL_LEVEL }).length;
  return fileBytes <= usual * TIGHT;
}

/** Returns the estimated bytes per byte of 8-bit indices; comparable with the density of near-lossless codings. */
export function indexedDensity(image: IndexedImage): number {
  return estimateAt(image, depthOf(image)) / image.rows.length;
}

/** Returns the file, compressed as well as the effort allows. */
export async function packIndexed(image: IndexedImage, codec: PngCodec, effort: Effort): Promise<Uint8Array> {
  const depth = depthOf(image);
  const rows = packedRows(image, depth);
  if (effort !== 'max') return pngOfIndexed(image, depth, await codec.deflate(rows, effort));
  return codec.optimise(pngOfIndexed(image, depth, await codec.deflate(rows, 'balanced')), effort);
}

/** Fewer bits per index are better for noise; whole bytes are better for repetitions. */
function depthOf(image: IndexedImage): 1 | 2 | 4 | 8 {
  const least = leastDepth(image);
  return least < 8 && estimateAt(image, least) < estimateAt(image, 8) ? least : 8;
}

function estimateAt(image: IndexedImage, depth: 1 | 2 | 4 | 8): number {
  return deflateSync(packedRows(image, depth), { level: ESTIMATING_LEVEL }).length;
}
