/**
 * Structural similarity in windows of 8×8 values every 4 (src/compression/domain/score/plain-reference.ts defines it), from
 * sums over blocks of 4×4: that of the reference, that of the candidate, that of their squared differences, and that of
 * all squares. They are doubles, since a variance is a small difference of large sums.
 *
 * The loss 1 − SSIM of a window is (variance of the difference + (difference of the means)² · (2 · covariance + C2)) /
 * (sum of the variances + C2). Written so, it is exactly 0 for equal windows.
 */
import { BLOCK, BLOCK_BYTES, CELL_BYTES, cells, mask, sumBytes, sums } from './layout';

const SAMPLES: f64 = 64;
const C2: f64 = 0.0009;

let last: usize = 0;
let former: usize = 0;
let windows: usize = 0;
let counted: usize = 0;
let hasFormer: bool = false;
let lossSum: f64 = 0;
let count: f64 = 0;
let power: u32 = 4;

/** Begins planes of so many whole blocks in a row. In ragged ones, the last two blocks of a row end at its edge. */
export function beginWindows(wholeBlocks: usize, isRagged: bool, lossPower: u32): void {
  last = sums;
  former = sums + sumBytes;
  windows = wholeBlocks - 1 + (isRagged ? 2 : 0);
  counted = isRagged ? windows - 1 : windows;
  power = lossPower;
  hasFormer = false;
  lossSum = 0;
  count = 0;
  // The last whole block and the first of the two at the edge make no window.
  const excluded = isRagged ? wholeBlocks - 1 : windows;
  for (let window: usize = 0; window <= windows; window++) {
    store<i64>(mask + window * sizeof<i64>(), window < windows && window != excluded ? -1 : 0);
  }
}

/** What follows does not lie below what came before. */
export function breakRows(): void {
  hasFormer = false;
}

/** Mean of the losses so far, each to the power, root taken. */
export function pooled(): f64 {
  const root = sqrt(lossSum / count);
  return power == 2 ? root : sqrt(root);
}

/** Adds the next row of blocks, which lie one after the other. */
export function addStrip(reference: usize, candidate: usize): void {
  swap();
  for (let cell: usize = 0; cell < cells; cell++) {
    const at = cell * BLOCK_BYTES;
    addBlock(cell, reference + at, candidate + at, BLOCK * sizeof<f32>());
  }
  joinRows();
}

/** Adds the four rows of two planes that begin here. */
export function addRows(reference: usize, candidate: usize, width: usize): void {
  swap();
  const whole = width / BLOCK;
  const end = whole + (width % BLOCK == 0 ? 0 : 2);
  for (let cell: usize = 0; cell < end; cell++) {
    const column = cell < whole ? cell * BLOCK : width - (end - cell) * BLOCK;
    const at = column * sizeof<f32>();
    addBlock(cell, reference + at, candidate + at, width * sizeof<f32>());
  }
  joinRows();
}

/** Sums of one block; floats are enough for four values. */
function addBlock(cell: usize, reference: usize, candidate: usize, rowSize: usize): void {
  let sumA = f32x4.splat(0);
  let sumB = f32x4.splat(0);
  let dd = f32x4.splat(0);
  let squares = f32x4.splat(0);
  let row: usize = 0;
  for (let i: usize = 0; i < BLOCK; i++, row += rowSize) {
    const a = v128.load(reference + row);
    const b = v128.load(candidate + row);
    const d = f32x4.sub(b, a);
    sumA = f32x4.add(sumA, a);
    sumB = f32x4.add(sumB, b);
    dd = f32x4.add(dd, f32x4.mul(d, d));
    squares = f32x4.add(squares, f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)));
  }
  storeCell(cell, promoted(sumA), promoted(sumB), promoted(dd), promoted(squares));
}

function swap(): void {
  const above = last;
  last = former;
  former = above;
}

/** Four floats as two sums. */
function promoted(v: v128): v128 {
  return f64x2.add(f64x2.promote_low_f32x4(v), f64x2.promote_low_f32x4(upper(v)));
}

function upper(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 1, 1);
}

function storeCell(cell: usize, a: v128, b: v128, c: v128, d: v128): void {
  const to = last + cell * CELL_BYTES;
  v128.store(to, f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3)));
  v128.store(to, f64x2.add(v128.shuffle<f64>(c, d, 0, 2), v128.shuffle<f64>(c, d, 1, 3)), 16);
}

/** Every window of 2×2 blocks that the last two rows make, two at a time. */
function joinRows(): void {
  if (!hasFormer) {
    hasFormer = true;
    return;
  }
  let sum = f64x2.splat(0);
  for (let window: usize = 0; window < windows; window += 2) {
    const at = window * CELL_BYTES;
    const sums1 = column(at + CELL_BYTES);
    const sums2 = column(at + 2 * CELL_BYTES);
    const squares1 = column(at + CELL_BYTES + 16);
    const squares2 = column(at + 2 * CELL_BYTES + 16);
    const losses = lossOfTwo(
      f64x2.add(column(at), sums1),
      f64x2.add(sums1, sums2),
      f64x2.add(column(at + 16), squares1),
      f64x2.add(squares1, squares2),
    );
    let powers = f64x2.mul(losses, losses);
    if (power == 4) powers = f64x2.mul(powers, powers);
    sum = f64x2.add(sum, v128.and(powers, v128.load(mask + window * sizeof<i64>())));
  }
  lossSum += f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  count += <f64>counted;
}

function column(at: usize): v128 {
  return f64x2.add(v128.load(former + at), v128.load(last + at));
}

function lossOfTwo(sums0: v128, sums1: v128, squares0: v128, squares1: v128): v128 {
  const sumA = v128.shuffle<f64>(sums0, sums1, 0, 2);
  const sumB = v128.shuffle<f64>(sums0, sums1, 1, 3);
  const squaredDifferences = v128.shuffle<f64>(squares0, squares1, 0, 2);
  const squares = v128.shuffle<f64>(squares0, squares1, 1, 3);
  // All variances are 64 times as large as they are.
  const one = f64x2.splat(1 / SAMPLES);
  const c2 = f64x2.splat(C2 * SAMPLES);
  const shift = f64x2.sub(sumB, sumA);
  const shiftSquare = f64x2.mul(shift, shift);
  const squaredSums = f64x2.add(f64x2.mul(sumA, sumA), f64x2.mul(sumB, sumB));
  const variances = f64x2.sub(squares, f64x2.mul(squaredSums, one));
  const difference = f64x2.sub(squaredDifferences, f64x2.mul(shiftSquare, one));
  const contrast = f64x2.add(f64x2.sub(variances, difference), c2);
  const luminance = f64x2.mul(shiftSquare, f64x2.splat(1 / (SAMPLES * SAMPLES)));
  const loss = f64x2.add(difference, f64x2.mul(luminance, contrast));
  return f64x2.div(loss, f64x2.add(variances, c2));
}
