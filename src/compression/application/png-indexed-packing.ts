/** How an indexed image becomes a PNG: with as many bits an index as make the smaller file. */
import { deflateSync } from 'node:zlib';
import type { Effort } from '../domain/compression-policy';
import { indexed, type IndexedImage } from '../domain/palette/indexed-image';
import type { Pixels } from '../domain/pixels';
import { leastDepth, packedRows, pngOfIndexed } from '../formats/png/png-indexed';
import type { PngCodec } from './codecs.port';
import { ESTIMATING_LEVEL } from './png-codings';

/** zlib's usual level, and the share of what it makes of palette images that only the best packers go below. */
const USUAL_LEVEL = 6;
const TIGHT = 0.94;

/** Whether a file of at most 256 colours is as small as the best packers would make it. */
export function isTightlyPacked(pixels: Pixels, fileBytes: number): boolean {
  const image = indexed(pixels);
  const least = leastDepth(image);
  const usual = deflateSync(packedRows(image, least), { level: USUAL_LEVEL }).length;
  return fileBytes <= usual * TIGHT;
}

/** Bytes a row byte of 8-bit indices, about; comparable to the density of codings. */
export function indexedDensity(image: IndexedImage): number {
  return estimateAt(image, depthOf(image)) / image.rows.length;
}

/** Returns the file, packed as tightly as the effort allows. */
export async function packIndexed(image: IndexedImage, codec: PngCodec, effort: Effort): Promise<Uint8Array> {
  const depth = depthOf(image);
  const rows = packedRows(image, depth);
  if (effort !== 'max') return pngOfIndexed(image, depth, await codec.deflate(rows, effort));
  return codec.optimise(pngOfIndexed(image, depth, await codec.deflate(rows, 'balanced')), effort);
}

/** Fewer bits an index help noise; what repeats is found more easily byte by byte. */
function depthOf(image: IndexedImage): 1 | 2 | 4 | 8 {
  const least = leastDepth(image);
  return least < 8 && estimateAt(image, least) < estimateAt(image, 8) ? least : 8;
}

function estimateAt(image: IndexedImage, depth: 1 | 2 | 4 | 8): number {
  return deflateSync(packedRows(image, depth), { level: ESTIMATING_LEVEL }).length;
}
