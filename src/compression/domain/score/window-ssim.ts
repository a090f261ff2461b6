/**
 * Structural similarity of one pair of planes (Wang, Bovik, Sheikh, Simoncelli, IEEE TIP 13(4), 2004) in windows of
 * 8×8 px every 4 px, pooled by a power mean of the loss 1 − SSIM: the worst regions decide.
 *
 * The luminance factor is that of SSIMULACRA2, 1 − (difference of the means)²: values of a perceptual scale are
 * differences already, and dividing by the mean once more would make too much of the dark.
 *
 * Every window is four blocks of 4×4 px, so each sample is looked at once: block sums are kept for two rows of
 * blocks and added up. Windows that end at an edge which is no multiple of 4 are summed directly.
 */
import type { Plane } from '../pixels';

const WINDOW = 8;
const BLOCK = 4;
/** The paper's second stabilising constant, (0.03 · L)², for values that span L = 1. */
const C2 = 0.0009;

/** Mean of the loss over all windows to the given power, root taken; 0 when the planes are identical. */
export function pooledLoss(a: Plane, b: Plane, power: 2 | 4): number {
  const { width, height } = a;
  const isSmall = width < WINDOW || height < WINDOW;
  const pool = isSmall ? { sum: 0, windows: 0 } : alignedWindows(a, b, power);
  const add = (x: number, y: number) => {
    const loss = 1 - windowSsim(a, b, x, y, Math.min(WINDOW, width), Math.min(WINDOW, height));
    pool.sum += loss ** power;
    pool.windows++;
  };
  if (isSmall) {
    for (const y of starts(height)) for (const x of starts(width)) add(x, y);
  } else {
    const lastX = width - WINDOW;
    const lastY = height - WINDOW;
    if (lastX % BLOCK !== 0) for (const y of starts(height)) add(lastX, y);
    if (lastY % BLOCK !== 0) for (let x = 0; x <= lastX; x += BLOCK) add(x, lastY);
  }
  return (pool.sum / pool.windows) ** (1 / power);
}

/** Every window at multiples of 4 px, by sums of 4×4 blocks. */
function alignedWindows(a: Plane, b: Plane, power: 2 | 4): { sum: number; windows: number } {
  const blocks = Math.floor(a.width / BLOCK);
  const blockRows = Math.floor(a.height / BLOCK);
  let above = new BlockRow(blocks);
  let below = new BlockRow(blocks);
  above.fill(a, b, 0);
  let sum = 0;
  for (let row = 1; row < blockRows; row++) {
    below.fill(a, b, row * BLOCK);
    sum += above.joinedLoss(below, power);
    [above, below] = [below, above];
  }
  return { sum, windows: (blocks - 1) * (blockRows - 1) };
}

/** Sums over the 4×4 blocks of one row of blocks: of both planes, their squares and their products. */
class BlockRow {
  private readonly a: Float64Array;
  private readonly b: Float64Array;
  private readonly aa: Float64Array;
  private readonly bb: Float64Array;
  private readonly ab: Float64Array;

  constructor(private readonly blocks: number) {
    this.a = new Float64Array(blocks);
    this.b = new Float64Array(blocks);
    this.aa = new Float64Array(blocks);
    this.bb = new Float64Array(blocks);
    this.ab = new Float64Array(blocks);
  }

  fill(planeA: Plane, planeB: Plane, top: number): void {
    const { width, data: da } = planeA;
    const db = planeB.data;
    for (let block = 0; block < this.blocks; block++) {
      let sumA = 0;
      let sumB = 0;
      let aa = 0;
      let bb = 0;
      let ab = 0;
      for (let y = 0, row = top * width + block * BLOCK; y < BLOCK; y++, row += width) {
        const a0 = da[row];
        const a1 = da[row + 1];
        const a2 = da[row + 2];
        const a3 = da[row + 3];
        const b0 = db[row];
        const b1 = db[row + 1];
        const b2 = db[row + 2];
        const b3 = db[row + 3];
        sumA += a0 + a1 + a2 + a3;
        sumB += b0 + b1 + b2 + b3;
        // Added up in the same order, so that identical planes give identical sums and a loss of exactly 0.
        aa += a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3;
        bb += b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3;
        ab += a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3;
      }
      this.a[block] = sumA;
      this.b[block] = sumB;
      this.aa[block] = aa;
      this.bb[block] = bb;
      this.ab[block] = ab;
    }
  }

  /** Sum of the losses, to the given power, of the windows that this row and the next one make. */
  joinedLoss(next: BlockRow, power: 2 | 4): number {
    let sum = 0;
    for (let i = 0, j = 1; j < this.blocks; i++, j++) {
      const loss =
        1 -
        ssim(
          this.a[i] + this.a[j] + next.a[i] + next.a[j],
          this.b[i] + this.b[j] + next.b[i] + next.b[j],
          this.aa[i] + this.aa[j] + next.aa[i] + next.aa[j],
          this.bb[i] + this.bb[j] + next.bb[i] + next.bb[j],
          this.ab[i] + this.ab[j] + next.ab[i] + next.ab[j],
          WINDOW * WINDOW,
        );
      const squared = loss * loss;
      sum += power === 2 ? squared : squared * squared;
    }
    return sum;
  }
}

function starts(length: number): number[] {
  const window = Math.min(WINDOW, length);
  const all: number[] = [];
  for (let start = 0; start + window <= length; start += BLOCK) all.push(start);
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
  return ssim(sumA, sumB, aa, bb, ab, width * height);
}

function ssim(sumA: number, sumB: number, aa: number, bb: number, ab: number, n: number): number {
  const meanA = sumA / n;
  const meanB = sumB / n;
  const varianceA = aa / n - meanA * meanA;
  const varianceB = bb / n - meanB * meanB;
  const covariance = ab / n - meanA * meanB;
  const luminance = 1 - (meanA - meanB) * (meanA - meanB);
  return (luminance * (2 * covariance + C2)) / (varianceA + varianceB + C2);
}
