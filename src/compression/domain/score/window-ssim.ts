/**
 * Structural similarity of two planes (Wang, Bovik, Sheikh, Simoncelli, IEEE TIP 13(4), 2004) in windows of 8×8 px every
 * 4 px. A power mean pools the losses 1 − SSIM, so that the worst regions dominate.
 *
 * The luminance factor is from SSIMULACRA2, 1 − (difference of the means)²: the scale is already perceptual, and dividing
 * by the mean would overrate dark areas.
 */
import type { Plane } from '../pixels';

const WINDOW = 8;
const STEP = 4;
/** The second stabilising constant of the paper, (0.03 · L)², with L = 1. */
const C2 = 0.0009;

/** Returns the power mean of the loss over all windows; 0 if the planes are identical. */
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

/** Returns the start positions of windows: every 4 px, and one whose window ends at the edge. */
function starts(length: number): number[] {
  const window = Math.min(WINDOW, length);
  const all: number[] = [];
  for (let start = 0; start + window <= length; start += STEP) all.push(start);
  if (all[all.length - 1] + window < length) all.push(length - window);
  return all;
}

function windowSsim(a: Plane, b: Plane, x0: number, y0: number, width: number, height: number): number {
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
