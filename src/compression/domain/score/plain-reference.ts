/**
 * The terms of the score in plain TypeScript: the reference implementation, and the one for images with a
 * short side. For all others fast-reference.ts computes the same numbers; tests compare the two.
 */
import { sameSize, type Dimensions } from '../dimensions';
import { crop, type Pixels, type Plane } from '../pixels';
import type { Comparison, PreparedReference } from './comparison';
import { luminancePlane, meanLight, smallPlanes, type SmallPlanes } from './perceptual-planes';

interface Prepared {
  readonly luminance: Plane;
  readonly small: SmallPlanes;
}

/** @param tile size of the tiles, which cover the image completely */
export class PlainReference implements PreparedReference {
  private readonly tiles: readonly Prepared[];

  constructor(
    pixels: Pixels,
    private readonly tile: Dimensions = pixels,
  ) {
    this.tiles = cutTiles(pixels, tile).map(prepared);
  }

  compare<T>(candidate: Pixels, look: (comparison: Comparison) => T): T[] {
    return cutTiles(candidate, this.tile).map((part, i) => look(compareTile(this.tiles[i], prepared(part))));
  }
}

function cutTiles(pixels: Pixels, tile: Dimensions) {
  if (sameSize(pixels, tile)) return [pixels];
  const tiles: Pixels[] = [];
  for (let top = 0; top < pixels.height; top += tile.height) {
    for (let left = 0; left < pixels.width; left += tile.width) tiles.push(crop(pixels, { left, top }, tile));
  }
  return tiles;
}

function prepared(pixels: Pixels): Prepared {
  return { luminance: luminancePlane(pixels), small: smallPlanes(meanLight(pixels)) };
}

function compareTile(a: Prepared, b: Prepared): Comparison {
  return {
    fineStructure: () => pooledLoss(a.luminance, b.luminance, 4),
    structure: (plane, power) => pooledLoss(a.small[plane], b.small[plane], power),
    addedEdges: (plane, power) => addedEdges(a.small[plane], b.small[plane], power),
    planes: (plane) => [a.small[plane], b.small[plane]],
  };
}

const WINDOW = 8;
const STEP = 4;
/** The second stabilising constant of the paper, (0.03 · L)², with L = 1. */
const C2 = 0.0009;

/**
 * Structural similarity (Wang, Bovik, Sheikh, Simoncelli, IEEE TIP 13(4), 2004) in windows of 8×8 px every 4 px; a
 * power mean pools the losses 1 − SSIM, so that the worst regions dominate. The luminance factor is SSIMULACRA2's, 1 −
 * (difference of the means)²: the scale is already perceptual, and dividing by the mean would overrate dark areas.
 */
export function pooledLoss(a: Plane, b: Plane, power: 2 | 4): number {
  const { width, height } = a;
  const [windowWidth, windowHeight] = [Math.min(WINDOW, width), Math.min(WINDOW, height)];
  const [left, top] = [starts(width), starts(height)];
  let sum = 0;
  for (const y of top) {
    for (const x of left) sum += (1 - windowSsim(a, b, x, y, windowWidth, windowHeight)) ** power;
  }
  return (sum / (left.length * top.length)) ** (1 / power);
}

/** Every 4 px, and one whose window ends at the edge. */
function starts(length: number) {
  const window = Math.min(WINDOW, length);
  const all: number[] = [];
  for (let start = 0; start + window <= length; start += STEP) all.push(start);
  if (all[all.length - 1] + window < length) all.push(length - window);
  return all;
}

function windowSsim(a: Plane, b: Plane, x0: number, y0: number, width: number, height: number) {
  let sumA = 0;
  let sumB = 0;
  let aa = 0;
  let bb = 0;
  let ab = 0;
  for (let y = y0; y < y0 + height; y++) {
    for (let p = y * a.width + x0, end = p + width; p < end; p++) {
      const va = a.data[p];
      const vb = b.data[p];
      sumA += va;
      sumB += vb;
      aa += va * va;
      bb += vb * vb;
      ab += va * vb;
    }
  }
  const samples = width * height;
  const meanA = sumA / samples;
  const meanB = sumB / samples;
  const varianceA = aa / samples - meanA * meanA;
  const varianceB = bb / samples - meanB * meanB;
  const covariance = ab / samples - meanA * meanB;
  const luminance = 1 - (meanA - meanB) * (meanA - meanB);
  return (luminance * (2 * covariance + C2)) / (varianceA + varianceB + C2);
}

const BLOCK = 4;

/**
 * Measures edges that only the candidate has: blocking and banding, the most disturbing artefacts in smooth areas.
 * Based on the "ringing" map of SSIMULACRA2 (J. Sneyers, Cloudinary, 2022), but compares each value with the mean of
 * its 4×4 block instead of a blur; incomplete blocks are ignored.
 */
export function addedEdges(a: Plane, b: Plane, power: 2 | 4): number {
  const { width, height } = a;
  const blockWidth = Math.min(BLOCK, width);
  const blockHeight = Math.min(BLOCK, height);
  let sum = 0;
  let count = 0;
  for (let top = 0; top + blockHeight <= height; top += blockHeight) {
    for (let left = 0; left + blockWidth <= width; left += blockWidth) {
      const meanA = blockMean(a, left, top, blockWidth, blockHeight);
      const meanB = blockMean(b, left, top, blockWidth, blockHeight);
      for (let y = top; y < top + blockHeight; y++) {
        for (let p = y * width + left, end = p + blockWidth; p < end; p++) {
          const added = (1 + Math.abs(b.data[p] - meanB)) / (1 + Math.abs(a.data[p] - meanA)) - 1;
          if (added > 0) sum += power === 2 ? added * added : added * added * added * added;
          count++;
        }
      }
    }
  }
  return (sum / count) ** (1 / power);
}

function blockMean(plane: Plane, left: number, top: number, width: number, height: number) {
  let sum = 0;
  for (let y = top; y < top + height; y++) {
    for (let p = y * plane.width + left, end = p + width; p < end; p++) sum += plane.data[p];
  }
  return sum / (width * height);
}
