/**
 * Measures edges that the candidate has and the reference does not: blocking and banding, the most disturbing artefacts in
 * smooth areas. Based on the "ringing" map of SSIMULACRA2 (J. Sneyers, Cloudinary, 2022), but compares each value with the mean of
 * its 4×4 block instead of a blur.
 */
import type { Plane } from '../pixels';

const BLOCK = 4;

/**
 * Returns the power mean of the added edges, 0 if there are none. With power 2 all edges count; with 4 the strongest
 * dominate. Incomplete blocks, up to 3 px at the right and bottom edges, are ignored.
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

function blockMean(plane: Plane, left: number, top: number, width: number, height: number): number {
  let sum = 0;
  for (let y = top; y < top + height; y++) {
    for (let p = y * plane.width + left, end = p + width; p < end; p++) sum += plane.data[p];
  }
  return sum / (width * height);
}
