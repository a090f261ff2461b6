/**
 * Counts the steps of luminance that a candidate has in smooth areas and its original does not, compiled to WebAssembly. The rows of
 * both pass through once, from the top: values, or pairs of rows of pixels whose blocks of 2×2 give the values. Differences are
 * doubles, since they are small differences of floats.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */
import { spread } from './samples';

/** Height of the steps that are counted together, in XYB. */
const BIN: f64 = 0.00025;
const BINS: usize = 256;
const TABLE: usize = 256 * sizeof<u32>();
/** Share of luminance of each sample of red, green and blue, u32, and the eye's response to a sum of them, f32; the caller fills them in. */
const RED: usize = 1024;
const GREEN: usize = RED + TABLE;
const BLUE: usize = GREEN + TABLE;
const RESPONSE: usize = BLUE + TABLE;
const RESPONSES: usize = 16_387;
const COUNTS: usize = (RESPONSE + RESPONSES * sizeof<f32>() + 15) & ~15;
const BUFFERS: usize = COUNTS + BINS * sizeof<u32>();
/** Stands before each row, and behind it. */
const EDGE: usize = 16;
/** Rows of which the middle one is judged. */
const ROWS: usize = 3;

let width: usize = 0;
let pixelsWidth: usize = 0;
let channelsOfA: usize = 4;
let channelsOfB: usize = 4;
let row: usize = 0;
let samples: usize = 0;
let samplesBytes: usize = 0;
let values: usize = 0;
let valuesBytes: usize = 0;
let smooth: usize = 0;
let smoothBytes: usize = 0;
let differences: usize = 0;
let differencesBytes: usize = 0;

export function shareTable(): usize {
  return RED;
}

export function responseTable(): usize {
  return RESPONSE;
}

/** Makes room for rows of `count` values, and for rows of `rowPixels` RGB or RGBA pixels if pixels give the values. */
export function begin(count: usize, rowPixels: usize, channelsA: usize, channelsB: usize): void {
  width = count;
  pixelsWidth = rowPixels;
  channelsOfA = channelsA;
  channelsOfB = channelsB;
  row = 0;
  samplesBytes = (2 * rowPixels * sizeof<u32>() + 3 * EDGE) & ~15;
  valuesBytes = (width * sizeof<f32>() + 2 * EDGE) & ~15;
  smoothBytes = (width + 3 * EDGE) & ~15;
  differencesBytes = (width * sizeof<f64>() + 3 * EDGE) & ~15;
  samples = BUFFERS;
  values = samples + 2 * samplesBytes;
  smooth = values + 2 * valuesBytes;
  differences = smooth + ROWS * smoothBytes;
  const end = differences + ROWS * differencesBytes;
  const pages = <u32>((end + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  memory.fill(COUNTS, 0, end - COUNTS);
}

/** Where the next two rows of pixels belong: image 0 or 1. Rows of RGB lie so that they can be spread to RGBA in place. */
export function samplesAt(image: usize): usize {
  const isSpread = (image == 0 ? channelsOfA : channelsOfB) == 3;
  return samples + image * samplesBytes + (isSpread ? 2 * pixelsWidth : 0);
}

/** Where the next row of values belongs, f32. */
export function valuesAt(image: usize): usize {
  return values + image * valuesBytes;
}

/** Where the bytes belong that mark the smooth values of the row after the next one; never those at the edge of the image. */
export function smoothAt(): usize {
  return smoothRow(row + 1);
}

/** How often each step occurs, u32. */
export function countsAt(): usize {
  return COUNTS;
}

function smoothRow(n: usize): usize {
  return smooth + (n % ROWS) * smoothBytes + EDGE;
}

function differencesOf(n: usize): usize {
  return differences + (n % ROWS) * differencesBytes + EDGE;
}

/** Turns the rows of image 0 into its values. */
export function halve(): void {
  if (channelsOfA == 3) spread(samples, 2 * pixelsWidth);
  for (let x: usize = 0; x < width; x++) store<f32>(values + (x << 2), luminance(samples + (x << 3)));
}

/** Takes rows of pixels, and the values of image 0. */
export function pushPixels(): void {
  if (channelsOfA == 3) spread(samples, 2 * pixelsWidth);
  if (channelsOfB == 3) spread(samples + samplesBytes, 2 * pixelsWidth);
  const to = differencesOf(row);
  const above = smoothRow(row + ROWS - 1) - 1;
  const here = smoothRow(row) - 1;
  const below = smoothRow(row + 1) - 1;
  const colours = i32x4.splat(0xffffff);
  for (let x: usize = 0; x < width; x += 2) {
    const at = to + x * sizeof<f64>();
    v128.store(at, i32x4.splat(0));
    // Values beside a smooth one are used, too.
    if ((load<u32>(above + x) | load<u32>(here + x) | load<u32>(below + x)) == 0) continue;
    const a = samples + (x << 3);
    const b = a + samplesBytes;
    const lower = pixelsWidth << 2;
    const changes = v128.or(
      v128.xor(v128.load(a), v128.load(b)),
      v128.xor(v128.load(a + lower), v128.load(b + lower)),
    );
    if (!v128.any_true(v128.and(changes, colours))) continue;
    const from = values + (x << 2);
    store<f64>(at, <f64>luminance(b) - <f64>load<f32>(from));
    store<f64>(at, <f64>luminance(b + 8) - <f64>load<f32>(from, 4), 8);
  }
  judge();
}

/** Takes rows of values. */
export function pushValues(): void {
  const to = differencesOf(row);
  for (let x: usize = 0; x < width; x += 2) {
    const a = f64x2.promote_low_f32x4(v128.load64_zero(values + (x << 2)));
    const b = f64x2.promote_low_f32x4(v128.load64_zero(values + valuesBytes + (x << 2)));
    v128.store(to + x * sizeof<f64>(), f64x2.sub(b, a));
  }
  judge();
}

/** Response to the mean light of 2×2 pixels, the sum of which fits into 32 bits. */
function luminance(pixel: usize): f32 {
  const below = pixel + (pixelsWidth << 2);
  const sum = shares(pixel) + shares(pixel + 4) + shares(below) + shares(below + 4);
  return load<f32>(RESPONSE + ((((sum >> 2) + 0x8000) >> 16) << 2));
}

function shares(pixel: usize): u32 {
  const red = load<u32>((<usize>load<u8>(pixel)) << 2, RED);
  const green = load<u32>((<usize>load<u8>(pixel, 1)) << 2, GREEN);
  return red + green + load<u32>((<usize>load<u8>(pixel, 2)) << 2, BLUE);
}

/** Counts the steps of the row above the one that was taken. */
function judge(): void {
  const smoothness = smoothRow(row + ROWS - 1);
  const rowAbove = differencesOf(row + ROWS - 2);
  const middle = differencesOf(row + ROWS - 1);
  const rowBelow = differencesOf(row);
  row++;
  for (let x: usize = 0; x < width; x += 2) {
    const two = load<u16>(smoothness + x);
    if (two == 0) continue;
    const at = x * sizeof<f64>();
    const above = v128.load(rowAbove + at);
    const left = v128.load(middle + at - sizeof<f64>());
    const here = v128.load(middle + at);
    const right = v128.load(middle + at + sizeof<f64>());
    const below = v128.load(rowBelow + at);
    const all = v128.or(v128.or(above, below), v128.or(v128.or(left, right), here));
    if (!v128.any_true(all)) continue;
    const step = f64x2.max(stepAlong(left, here, right), stepAlong(above, here, below));
    const bins = i32x4.trunc_sat_f64x2_s_zero(f64x2.div(step, f64x2.splat(BIN)));
    if (two & 0xff) count(i32x4.extract_lane(bins, 0));
    if (two >> 8) count(i32x4.extract_lane(bins, 1));
  }
}

/** A two-block step misses rings with a two-block period; a one-block step finds them. */
function stepAlong(before: v128, here: v128, after: v128): v128 {
  return f64x2.max(f64x2.abs(f64x2.sub(after, before)), f64x2.abs(f64x2.sub(after, here)));
}

function count(bin: i32): void {
  const at = COUNTS + (min(<usize>bin, BINS - 1) << 2);
  store<u32>(at, load<u32>(at) + 1);
}
