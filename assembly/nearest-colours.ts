/**
 * Finds the two nearest palette colours of each colour by squaredDifference of ground-difference.ts: every palette colour
 * is compared, four at a time, which takes less time than a search that leaves some out.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */

const MOST: usize = 256;
const PLANE: usize = MOST * sizeof<f32>();
/** Red, green, blue and alpha of palette colours as onBlack returns them, each a plane, padded to fours; then their indices. */
const SET: usize = 4 * PLANE + MOST * sizeof<i32>();
/** Palette colours for opaque, half-transparent and transparent pixels. */
const SETS: usize = 1024;
/** How many fours each set has. */
const COUNTS: usize = SETS + 3 * SET;
const COLOURS: usize = COUNTS + 16;
const FAR: f32 = 1e9;

let most: usize = 0;

export function begin(colours: usize): void {
  most = colours;
  const pages = <u32>((secondAt() + most * sizeof<f32>() + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
}

export function setAt(set: usize): usize {
  return SETS + set * SET;
}

export function countsAt(): usize {
  return COUNTS;
}

export function coloursAt(): usize {
  return COLOURS;
}

export function nearestAt(): usize {
  return COLOURS + most * 16;
}

export function leastAt(): usize {
  return nearestAt() + most * sizeof<i32>();
}

export function secondAt(): usize {
  return leastAt() + most * sizeof<f32>();
}

/** Of equally near palette colours, the first counts as the nearest; where none suits, index 0, far away. */
export function find(): void {
  for (let i: usize = 0; i < most; i++) findOf(i);
}

function findOf(i: usize): void {
  const colour = COLOURS + i * 16;
  const alpha = load<f32>(colour, 12);
  const set: usize = alpha == 255 ? 0 : alpha > 0 ? 1 : 2;
  const from = SETS + set * SET;
  const end = from + <usize>load<u32>(COUNTS + set * 4) * 16;
  const red = v128.load32_splat(colour);
  const green = v128.load32_splat(colour, 4);
  const blue = v128.load32_splat(colour, 8);
  const opacity = v128.load32_splat(colour, 12);
  let least = f32x4.splat(FAR);
  let second = f32x4.splat(FAR);
  let nearest = i32x4.splat(0);
  for (let at = from; at < end; at += 16) {
    const a = f32x4.sub(v128.load(at, 3 * PLANE), opacity);
    const r = f32x4.sub(v128.load(at), red);
    const g = f32x4.sub(v128.load(at, PLANE), green);
    const b = f32x4.sub(v128.load(at, 2 * PLANE), blue);
    const reds = squares(r, a);
    const greens = squares(g, a);
    const twice = f32x4.add(reds, f32x4.add(greens, greens));
    const difference = f32x4.add(f32x4.add(twice, twice), squares(b, a));
    const isNearer = f32x4.lt(difference, least);
    second = f32x4.pmin(second, v128.bitselect(least, difference, isNearer));
    nearest = v128.bitselect(v128.load(at, 4 * PLANE), nearest, isNearer);
    least = v128.bitselect(difference, least, isNearer);
  }
  join(i, least, second, nearest);
}

/** Summed over black and white. */
function squares(difference: v128, alpha: v128): v128 {
  const onWhite = f32x4.sub(difference, alpha);
  return f32x4.add(f32x4.mul(difference, difference), f32x4.mul(onWhite, onWhite));
}

/** Joins the four lanes. */
function join(i: usize, least: v128, second: v128, nearest: v128): void {
  let best = f32x4.extract_lane(least, 0);
  let next = f32x4.extract_lane(second, 0);
  let index = i32x4.extract_lane(nearest, 0);
  for (let lane = 1; lane < 4; lane++) {
    least = rotated(least);
    second = rotated(second);
    nearest = rotated(nearest);
    const difference = f32x4.extract_lane(least, 0);
    const other = i32x4.extract_lane(nearest, 0);
    next = min(next, min(f32x4.extract_lane(second, 0), max(best, difference)));
    if (difference < best || (difference == best && other < index)) index = other;
    best = min(best, difference);
  }
  store<i32>(nearestAt() + i * 4, index);
  store<f32>(leastAt() + i * 4, best);
  store<f32>(secondAt() + i * 4, next);
}

function rotated(lanes: v128): v128 {
  return i32x4.shuffle(lanes, lanes, 1, 2, 3, 0);
}
