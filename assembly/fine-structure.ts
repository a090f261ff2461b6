/**
 * The hot loop of the score, compiled to WebAssembly: the brightness of a picture at full size, and how alike its
 * structure is to that of a reference (see window-ssim.ts), in one pass over strips of four rows. Of what it makes of a
 * strip it keeps what the next one needs, so that a picture of any height takes the memory of a few rows.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */

const BLOCK: usize = 4;
const CHANNELS: usize = 3;
const SAMPLES: f64 = 64;
const C2: f64 = 0.0009;

/**
 * Tables that the caller fills in. For each of the 256 samples of a channel, 64 bits: below its linear light in whole
 * numbers, above what it adds to the level of brightness, 16 bits of which are a fraction (half a level is added to red,
 * so that levels are rounded). One sum of three entries gives a level; summed over a block, the lower halves give its
 * light. Then the response to each level (f32).
 */
const RED: usize = 1024;
const GREEN: usize = RED + 256 * sizeof<u64>();
const BLUE: usize = GREEN + 256 * sizeof<u64>();
const RESPONSE: usize = BLUE + 256 * sizeof<u64>();
const RESPONSES: usize = 16_387;
const BUFFERS: usize = (RESPONSE + RESPONSES * 4 + 15) & ~15;
/** Sums of a row of blocks: of both pictures, their squares and their products. */
const SUMS: usize = 5;

let width: usize = 0;
let blocks: usize = 0;
let samples: usize = 0;
let light: usize = 0;
let reference: usize = 0;
/** Brightness of the last strip of the picture and of the reference, and of the one before it. */
let lastA: usize = 0;
let lastB: usize = 0;
let formerA: usize = 0;
let formerB: usize = 0;
let lastSums: usize = 0;
let formerSums: usize = 0;
let hasFormer: bool = false;
let lossSum: f64 = 0;

export function lightTable(): usize {
  return RED;
}

export function responseTable(): usize {
  return RESPONSE;
}

/** Makes room for pictures of a width, of which so many strips are given at a time. */
export function begin(pictureWidth: usize, strips: usize): void {
  width = pictureWidth;
  blocks = width / BLOCK;
  const sourceBytes = aligned(strips * BLOCK * width * CHANNELS);
  const lightBytes = aligned(strips * blocks * CHANNELS * sizeof<u32>());
  const stripBytes = aligned(BLOCK * width * sizeof<f32>());
  const sumBytes = aligned(SUMS * blocks * sizeof<f64>());
  samples = BUFFERS;
  light = samples + sourceBytes;
  reference = light + lightBytes;
  lastA = reference + strips * stripBytes;
  lastB = lastA + stripBytes;
  formerA = lastB + stripBytes;
  formerB = formerA + stripBytes;
  lastSums = formerB + stripBytes;
  formerSums = lastSums + sumBytes;
  const pages = <u32>((formerSums + sumBytes + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  lossSum = 0;
  hasFormer = false;
}

function aligned(bytes: usize): usize {
  return (bytes + 15) & ~15;
}

/** Where the caller puts the samples of the next strips: R, G, B, row by row. */
export function samplesAt(): usize {
  return samples;
}

/** Where he finds the sums of linear light over the 4×4 blocks of these strips: u32, red, green, blue. */
export function lightAt(): usize {
  return light;
}

/** Where the brightness of the reference lies, f32, row by row: as it is made, and to be compared with. */
export function referenceAt(): usize {
  return reference;
}

/** What follows does not lie below what came before. */
export function leap(): void {
  hasFormer = false;
}

/** Sum of the losses of all windows so far, each to the power of four. */
export function loss(): f64 {
  return lossSum;
}

/** Makes the next strips a reference. */
export function brightenStrips(strips: usize): void {
  for (let strip: usize = 0; strip < strips; strip++) {
    brighten(strip, reference + strip * BLOCK * width * sizeof<f32>());
  }
}

/** Compares the next strips with those of the reference. */
export function compareStrips(strips: usize): void {
  const stripBytes: usize = BLOCK * width * sizeof<f32>();
  const isRagged = width % BLOCK != 0;
  for (let strip: usize = 0; strip < strips; strip++) {
    swap();
    const from = reference + strip * stripBytes;
    brighten(strip, lastB);
    sumBlocks(from, lastB);
    if (isRagged) memory.copy(lastA, from, stripBytes);
    if (hasFormer) {
      joinBlocks();
      // Windows that begin on no multiple of 4, at the right edge.
      if (isRagged) lossSum += fourthPower(1 - windowSsim(width - 2 * BLOCK));
    }
    hasFormer = true;
  }
}

function swap(): void {
  const a = lastA;
  const b = lastB;
  const sums = lastSums;
  lastA = formerA;
  lastB = formerB;
  lastSums = formerSums;
  formerA = a;
  formerB = b;
  formerSums = sums;
}

/** Brightness of a strip, and its sums of light over 4×4 blocks. */
function brighten(strip: usize, brightness: usize): void {
  const source = samples + strip * BLOCK * width * CHANNELS;
  const lights = light + strip * blocks * CHANNELS * sizeof<u32>();
  const rowBytes: usize = width * CHANNELS;
  const rowSize: usize = width * sizeof<f32>();
  for (let block: usize = 0; block < blocks; block++) {
    let red: u64 = 0;
    let green: u64 = 0;
    let blue: u64 = 0;
    for (let row: usize = 0; row < BLOCK; row++) {
      const from = source + row * rowBytes + block * (BLOCK * CHANNELS);
      const to = brightness + row * rowSize + block * (BLOCK * sizeof<f32>());
      const r0 = lightOf(RED, from);
      const g0 = lightOf(GREEN, from + 1);
      const b0 = lightOf(BLUE, from + 2);
      store<f32>(to, response(r0 + g0 + b0));
      const r1 = lightOf(RED, from + 3);
      const g1 = lightOf(GREEN, from + 4);
      const b1 = lightOf(BLUE, from + 5);
      store<f32>(to + 4, response(r1 + g1 + b1));
      const r2 = lightOf(RED, from + 6);
      const g2 = lightOf(GREEN, from + 7);
      const b2 = lightOf(BLUE, from + 8);
      store<f32>(to + 8, response(r2 + g2 + b2));
      const r3 = lightOf(RED, from + 9);
      const g3 = lightOf(GREEN, from + 10);
      const b3 = lightOf(BLUE, from + 11);
      store<f32>(to + 12, response(r3 + g3 + b3));
      red += r0 + r1 + r2 + r3;
      green += g0 + g1 + g2 + g3;
      blue += b0 + b1 + b2 + b3;
    }
    const to = lights + block * (CHANNELS * sizeof<u32>());
    store<u32>(to, <u32>red);
    store<u32>(to + 4, <u32>green);
    store<u32>(to + 8, <u32>blue);
  }
  for (let x: usize = blocks * BLOCK; x < width; x++) {
    for (let row: usize = 0; row < BLOCK; row++) {
      const from = source + row * rowBytes + x * CHANNELS;
      const light = lightOf(RED, from) + lightOf(GREEN, from + 1) + lightOf(BLUE, from + 2);
      store<f32>(brightness + row * rowSize + x * sizeof<f32>(), response(light));
    }
  }
}

function lightOf(table: usize, sample: usize): u64 {
  return load<u64>(table + ((<usize>load<u8>(sample)) << 3));
}

function response(light: u64): f32 {
  return load<f32>(RESPONSE + ((<usize>(light >> 48)) << 2));
}

/** Sums over the blocks of a strip, in doubles: a variance is a small difference of large sums. */
function sumBlocks(ofA: usize, ofB: usize): void {
  const rowSize: usize = width * sizeof<f32>();
  for (let block: usize = 0; block < blocks; block++) {
    let sumA = f64x2.splat(0);
    let sumB = f64x2.splat(0);
    let aa = f64x2.splat(0);
    let bb = f64x2.splat(0);
    let ab = f64x2.splat(0);
    for (let row: usize = 0; row < BLOCK; row++) {
      const at = row * rowSize + block * (BLOCK * sizeof<f32>());
      const a = v128.load(ofA + at);
      const b = v128.load(ofB + at);
      const a0 = f64x2.promote_low_f32x4(a);
      const b0 = f64x2.promote_low_f32x4(b);
      const a1 = f64x2.promote_low_f32x4(
        i8x16.shuffle(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
      );
      const b1 = f64x2.promote_low_f32x4(
        i8x16.shuffle(b, b, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
      );
      // Added up in the same order, so that identical pictures give identical sums and a loss of exactly 0.
      sumA = f64x2.add(sumA, f64x2.add(a0, a1));
      sumB = f64x2.add(sumB, f64x2.add(b0, b1));
      aa = f64x2.add(aa, f64x2.add(f64x2.mul(a0, a0), f64x2.mul(a1, a1)));
      bb = f64x2.add(bb, f64x2.add(f64x2.mul(b0, b0), f64x2.mul(b1, b1)));
      ab = f64x2.add(ab, f64x2.add(f64x2.mul(a0, b0), f64x2.mul(a1, b1)));
    }
    const to = lastSums + block * sizeof<f64>();
    const next: usize = blocks * sizeof<f64>();
    store<f64>(to, both(sumA));
    store<f64>(to + next, both(sumB));
    store<f64>(to + 2 * next, both(aa));
    store<f64>(to + 3 * next, both(bb));
    store<f64>(to + 4 * next, both(ab));
  }
}

function both(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** Every window of 2×2 blocks that the last two strips make. */
function joinBlocks(): void {
  const next: usize = blocks * sizeof<f64>();
  for (let block: usize = 0; block + 1 < blocks; block++) {
    const at = block * sizeof<f64>();
    lossSum += fourthPower(
      1 -
        ssim(
          ofWindow(at),
          ofWindow(at + next),
          ofWindow(at + 2 * next),
          ofWindow(at + 3 * next),
          ofWindow(at + 4 * next),
        ),
    );
  }
}

function ofWindow(at: usize): f64 {
  return both(f64x2.add(v128.load(formerSums + at), v128.load(lastSums + at)));
}

/** Of the 8×8 samples of the last two strips from a column on. */
function windowSsim(left: usize): f64 {
  let sumA: f64 = 0;
  let sumB: f64 = 0;
  let aa: f64 = 0;
  let bb: f64 = 0;
  let ab: f64 = 0;
  for (let row: usize = 0; row < 2 * BLOCK; row++) {
    const start: usize = ((row % BLOCK) * width + left) * sizeof<f32>();
    const fromA = (row < BLOCK ? formerA : lastA) + start;
    const fromB = (row < BLOCK ? formerB : lastB) + start;
    for (let x: usize = 0; x < 2 * BLOCK; x++) {
      const a: f64 = load<f32>(fromA + x * sizeof<f32>());
      const b: f64 = load<f32>(fromB + x * sizeof<f32>());
      sumA += a;
      sumB += b;
      aa += a * a;
      bb += b * b;
      ab += a * b;
    }
  }
  return ssim(sumA, sumB, aa, bb, ab);
}

function ssim(sumA: f64, sumB: f64, aa: f64, bb: f64, ab: f64): f64 {
  const meanA = sumA / SAMPLES;
  const meanB = sumB / SAMPLES;
  const varianceA = aa / SAMPLES - meanA * meanA;
  const varianceB = bb / SAMPLES - meanB * meanB;
  const covariance = ab / SAMPLES - meanA * meanB;
  const luminance = 1 - (meanA - meanB) * (meanA - meanB);
  return (luminance * (2 * covariance + C2)) / (varianceA + varianceB + C2);
}

function fourthPower(value: f64): f64 {
  const square = value * value;
  return square * square;
}
