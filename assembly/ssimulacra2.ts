/**
 * The norms of SSIMULACRA 2.1, compiled to WebAssembly. The rows of two images pass through twice, from the top. The first time, the
 * places where they differ are marked, a byte for every four pixels. The second time, each level of the pyramid keeps the nine rows that
 * its vertical blur needs, and hands every pair of rows on to the next, half as large. Places that no blur connects with a difference
 * have a loss of 0 and are skipped; graphics mostly consist of them.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */

import { spread } from './samples';

const MAX_LEVELS: u32 = 6;
const RADIUS: usize = 4;
const TAPS: usize = 9;
/** The impulse response of the recursive filter of the method for σ = 1.5, from its middle. */
const K0: f32 = 0.264621105;
const K1: f32 = 0.212928592;
const K2: f32 = 0.109335373;
const K3: f32 = 0.036011115;
const K4: f32 = 0.009414368;
const C2: f32 = 0.0009;
/** XYB of JPEG XL: a mix of the linear channels plus this, then its cube root less that of this. */
const BIAS: f32 = 0.0037930732552754493;
const ROOT: f32 = 0.15595420054924863;

/** Linear light of each sample, f32; the caller fills it in. */
const LINEAR: usize = 1024;
const STATES: usize = LINEAR + 256 * sizeof<f32>();
const NORMS: usize = STATES + 1024;
const BUFFERS: usize = (NORMS + MAX_LEVELS * 18 * sizeof<f64>() + 15) & ~15;

/** Rows of a channel in the ring: both images, and before them, four values at a time, what is blurred across. */
const MEAN_A: usize = 0;
const MEAN_B: usize = 16;
const SQUARES: usize = 32;
const PRODUCT: usize = 48;
const BLURRED: usize = 4;
const KINDS: usize = 6;
/** Values are handled in groups of four. A group of zeros, as wide as the blur reaches, stands before each row. */
const GROUP: usize = 16;
/** Rows that reach a difference through two blurs: the one of a compared row, and the rows that it needs. */
const REACH: usize = 2 * RADIUS;

/** A level of the pyramid. */
@unmanaged
class Level {
  width: usize;
  height: usize;
  /** Bytes of a row: zeros stand before and behind its values. */
  stride: usize;
  /** Rows taken so far. */
  taken: usize;
  /** Linear red, green and blue of image a, then of b. */
  light: usize;
  /** The row above, if it waits for this one: see `hasWaiting`. */
  waiting: usize;
  hasWaiting: bool;
  /** Channels that count: bit 0 is X, 1 is Y, 2 is B. */
  channels: u32;
  /** For each row a byte for each group, whether the images differ in it; zeros stand before and behind. */
  marks: usize;
  marksStride: usize;
  /** A row of bytes in the layout of the marks: groups that differ in rows nearby. */
  nearby: usize;
  /** For each channel TAPS rows of each kind. */
  ring: usize;
}

let levels: u32 = 0;
/** Rows marked so far. */
let marked: usize = 0;
let samples: usize = 0;
let samplesStride: usize = 0;
let channelsOfA: usize = 4;
let channelsOfB: usize = 4;
/** Rows of one level that are used at once. */
let squares: usize = 0;
let product: usize = 0;

function levelAt(n: u32): Level {
  return changetype<Level>(STATES + n * offsetof<Level>());
}

export function linearAt(): usize {
  return LINEAR;
}

/** Where the samples of the next row belong: image 0 or 1. Rows of RGB lie so that they can be spread to RGBA in place. */
export function samplesAt(image: usize): usize {
  const isSpread = (image == 0 ? channelsOfA : channelsOfB) == 3;
  return samples + image * samplesStride + (isSpread ? levelAt(0).width : 0);
}

/** For each level and channel: 1-norms of structure, added and lost edges, then their 4-norms (f64). */
export function normsAt(): usize {
  return NORMS;
}

/**
 * Prepares for images of a size. `used` has three bits for each level: its channels that count. RGB or RGBA.
 */
export function begin(
  width: usize,
  imageHeight: usize,
  count: u32,
  used: u32,
  channelsA: usize,
  channelsB: usize,
): void {
  levels = count;
  marked = 0;
  channelsOfA = channelsA;
  channelsOfB = channelsB;
  samples = BUFFERS;
  samplesStride = (width * 4 + 2 * GROUP) & ~15;
  let free = samples + 2 * samplesStride;
  const widest = strideOf(width);
  squares = free;
  product = free + widest;
  free += 2 * widest;
  let levelWidth = width;
  let levelHeight = imageHeight;
  for (let n: u32 = 0; n < levels; n++) {
    const level = levelAt(n);
    const stride = strideOf(levelWidth);
    level.width = levelWidth;
    level.height = levelHeight;
    level.stride = stride;
    level.taken = 0;
    level.hasWaiting = false;
    level.channels = (used >> (3 * n)) & 7;
    level.light = free;
    level.waiting = free + 6 * stride;
    level.ring = free + 12 * stride;
    level.marks = level.ring + 3 * TAPS * KINDS * stride;
    level.marksStride = ((((levelWidth + 3) >> 2) + 15) & ~15) + 2 * GROUP;
    level.nearby = level.marks + levelHeight * level.marksStride;
    free = level.nearby + level.marksStride;
    levelWidth = (levelWidth + 1) >> 1;
    levelHeight = (levelHeight + 1) >> 1;
  }
  const pages = <u32>((free + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  memory.fill(samples, 0, free - samples);
  memory.fill(NORMS, 0, MAX_LEVELS * 18 * sizeof<f64>());
}

function strideOf(width: usize): usize {
  return ((width + 4 * RADIUS) * sizeof<f32>() + 15) & ~15;
}

/** Where the marks of a row are. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function marksOf(level: Level, row: usize): usize {
  return level.marks + GROUP + row * level.marksStride;
}

/** Marks where the rows at samplesAt(0) and samplesAt(1) differ: the next row of the image. */
export function mark(): void {
  const level = levelAt(0);
  spreadSamples(level);
  const marks = marksOf(level, marked++);
  const end = level.width * sizeof<f32>();
  const colours = i32x4.splat(0xffffff);
  for (let at: usize = 0; at < end; at += GROUP) {
    const a = samples + at;
    const difference = v128.xor(v128.load(a), v128.load(a + samplesStride));
    store<u8>(marks + (at >> 4), v128.any_true(v128.and(difference, colours)) ? 1 : 0);
  }
}

/** Marks all levels, after the last row of the image. */
export function markLevels(): void {
  for (let n: u32 = 1; n < levels; n++) {
    const level = levelAt(n);
    const larger = levelAt(n - 1);
    const groups = (level.width + 3) >> 2;
    for (let row: usize = 0; row < level.height; row++) {
      const above = marksOf(larger, 2 * row);
      // An odd last row is its own pair.
      const below = marksOf(larger, min(2 * row + 1, larger.height - 1));
      const to = marksOf(level, row);
      for (let g: usize = 0; g < groups; g++) {
        const four = load<u16>(above + 2 * g) | load<u16>(below + 2 * g);
        store<u8>(to + g, four != 0 ? 1 : 0);
      }
    }
  }
}

/** Takes the row at samplesAt(0) and samplesAt(1), the next one of the marked image. */
export function push(): void {
  const level = levelAt(0);
  spreadSamples(level);
  linearise(level);
  take(0);
}

function spreadSamples(level: Level): void {
  if (channelsOfA == 3) spread(samples, level.width);
  if (channelsOfB == 3) spread(samples + samplesStride, level.width);
}

/** Completes all levels after the last row. */
export function finish(): void {
  for (let n: u32 = 0; n < levels; n++) {
    const level = levelAt(n);
    // An odd last row is its own pair.
    if (level.hasWaiting && n + 1 < levels) {
      halve(level, levelAt(n + 1), level.waiting);
      take(n + 1);
    }
    for (let row: usize = 0; row < RADIUS; row++) {
      clearRow(level);
      level.taken++;
      compareReady(n, level);
    }
    const area = <f64>level.width * <f64>level.height;
    for (let at: usize = 0; at < 18; at++) {
      const sum = load<f64>(sumAt(n, at)) / area;
      store<f64>(sumAt(n, at), at % 6 < 3 ? sum : Math.sqrt(Math.sqrt(sum)));
    }
  }
}

function sumAt(n: u32, at: usize): usize {
  return NORMS + (n * 18 + at) * sizeof<f64>();
}

function linearise(level: Level): void {
  const stride = level.stride;
  const end = level.width * sizeof<f32>();
  const lightA = level.light + GROUP;
  const lightB = lightA + 3 * stride;
  const marks = marksOf(level, level.taken);
  for (let at: usize = 0; at < end; at += GROUP) {
    const a = samples + at;
    const b = a + samplesStride;
    const to = lightA + at;
    const red = linear(a);
    const green = linear(a + 1);
    const blue = linear(a + 2);
    v128.store(to, red);
    v128.store(to + stride, green);
    v128.store(to + 2 * stride, blue);
    const toB = lightB + at;
    if (load<u8>(marks + (at >> 4))) {
      v128.store(toB, linear(b));
      v128.store(toB + stride, linear(b + 1));
      v128.store(toB + 2 * stride, linear(b + 2));
    } else {
      v128.store(toB, red);
      v128.store(toB + stride, green);
      v128.store(toB + 2 * stride, blue);
    }
  }
}

/** Linear light of one channel of four pixels. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function linear(at: usize): v128 {
  let four = v128.load32_zero(LINEAR + ((<usize>load<u8>(at)) << 2));
  four = v128.load_lane<f32>(LINEAR + ((<usize>load<u8>(at, 4)) << 2), four, 1);
  four = v128.load_lane<f32>(LINEAR + ((<usize>load<u8>(at, 8)) << 2), four, 2);
  return v128.load_lane<f32>(LINEAR + ((<usize>load<u8>(at, 12)) << 2), four, 3);
}

/** Takes the row in `light` of a level, and hands it on. */
function take(n: u32): void {
  const level = levelAt(n);
  ringIn(level);
  level.taken++;
  compareReady(n, level);
  if (n + 1 >= levels) return;
  if (level.hasWaiting) {
    halve(level, levelAt(n + 1), level.light);
    level.hasWaiting = false;
    take(n + 1);
  } else {
    const row = level.waiting;
    level.waiting = level.light;
    level.light = row;
    level.hasWaiting = true;
  }
}

/** Means of 2×2 values: the waiting row and `lower`. */
function halve(level: Level, next: Level, lower: usize): void {
  const end = level.width * sizeof<f32>();
  const half = next.width * sizeof<f32>();
  const stride = level.stride;
  for (let plane: usize = 0; plane < 6; plane++) {
    // An odd last value is its own pair.
    const last = GROUP + plane * stride + end;
    store<f32>(level.waiting + last, load<f32>(level.waiting + last - sizeof<f32>()));
    store<f32>(lower + last, load<f32>(lower + last - sizeof<f32>()));
  }
  const marks = marksOf(next, next.taken);
  for (let at: usize = 0; at < half; at += GROUP) {
    const above = level.waiting + GROUP + (at << 1);
    const below = lower + GROUP + (at << 1);
    const to = next.light + GROUP + at;
    const red = half2x2(above, below);
    const green = half2x2(above + stride, below + stride);
    const blue = half2x2(above + 2 * stride, below + 2 * stride);
    v128.store(to, red);
    v128.store(to + next.stride, green);
    v128.store(to + 2 * next.stride, blue);
    const toB = to + 3 * next.stride;
    if (load<u8>(marks + (at >> 4))) {
      v128.store(toB, half2x2(above + 3 * stride, below + 3 * stride));
      v128.store(toB + next.stride, half2x2(above + 4 * stride, below + 4 * stride));
      v128.store(toB + 2 * next.stride, half2x2(above + 5 * stride, below + 5 * stride));
    } else {
      v128.store(toB, red);
      v128.store(toB + next.stride, green);
      v128.store(toB + 2 * next.stride, blue);
    }
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function half2x2(above: usize, below: usize): v128 {
  const left = f32x4.add(v128.load(above), v128.load(below));
  const right = f32x4.add(v128.load(above, 16), v128.load(below, 16));
  const even = v128.shuffle<f32>(left, right, 0, 2, 4, 6);
  const odd = v128.shuffle<f32>(left, right, 1, 3, 5, 7);
  return f32x4.mul(f32x4.add(even, odd), f32x4.splat(0.25));
}

/** Where the kinds of a row are. */
function ringRow(level: Level, channel: u32, row: usize): usize {
  return level.ring + (channel * TAPS + (row % TAPS)) * KINDS * level.stride;
}

function clearRow(level: Level): void {
  for (let c: u32 = 0; c < 3; c++)
    if (level.channels & (1 << c)) memory.fill(ringRow(level, c, level.taken), 0, KINDS * level.stride);
}

/** Marks the groups with a difference at most `rows` rows above or below. Returns whether there are any. */
function noteNearby(level: Level, row: usize, rows: usize): bool {
  const first = row > rows ? row - rows : 0;
  const end = min(row + rows + 1, level.height);
  let all = i32x4.splat(0);
  for (let at: usize = GROUP; at < level.marksStride - GROUP; at += GROUP) {
    let some = i32x4.splat(0);
    for (let other = first; other < end; other++)
      some = v128.or(some, v128.load(level.marks + other * level.marksStride + at));
    v128.store(level.nearby + at, some);
    all = v128.or(all, some);
  }
  return v128.any_true(all);
}

/** Whether this group or one beside it differs nearby; `nearby` is its byte. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function isBeside(nearby: usize): bool {
  return (load<u16>(nearby - 1) | <u16>load<u8>(nearby + 1)) != 0;
}

/** Puts the row in `light` into the ring: in XYB, and what is blurred across. Groups out of reach keep what a former row left. */
function ringIn(level: Level): void {
  if (!noteNearby(level, level.taken, REACH)) return;
  toXyb(level);
  for (let c: u32 = 0; c < 3; c++) if (level.channels & (1 << c)) blurAcross(level, ringRow(level, c, level.taken));
}

/** Writes the channels that count in XYB; zeros stay behind the last value. */
function toXyb(level: Level): void {
  const stride = level.stride;
  const raw = BLURRED * stride + GROUP;
  const x = ringRow(level, 0, level.taken) + raw;
  const y = ringRow(level, 1, level.taken) + raw;
  const b = ringRow(level, 2, level.taken) + raw;
  const channels = level.channels;
  const light = level.light + GROUP;
  const marks = marksOf(level, level.taken);
  const nearby = level.nearby + GROUP;
  const end = level.width * sizeof<f32>();
  for (let at: usize = 0; at < end; at += GROUP) {
    const group = nearby + (at >> 4);
    // A blur across needs the groups beside it.
    if ((load<u32>(group - 2) | <u32>load<u8>(group + 2)) == 0) continue;
    xybOf(light + at, stride, channels, x + at, y + at, b + at);
    if (load<u8>(marks + (at >> 4))) {
      xybOf(light + 3 * stride + at, stride, channels, x + stride + at, y + stride + at, b + stride + at);
      continue;
    }
    if (channels & 1) v128.store(x + stride + at, v128.load(x + at));
    if (channels & 2) v128.store(y + stride + at, v128.load(y + at));
    if (channels & 4) v128.store(b + stride + at, v128.load(b + at));
  }
  const behind = stride - GROUP - end;
  for (let c: u32 = 0; c < 3; c++) {
    if (!(channels & (1 << c))) continue;
    const row = ringRow(level, c, level.taken) + raw + end;
    memory.fill(row, 0, behind);
    memory.fill(row + stride, 0, behind);
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function xybOf(light: usize, stride: usize, channels: u32, toX: usize, toY: usize, toB: usize): void {
  const red = v128.load(light);
  const green = v128.load(light + stride);
  const blue = v128.load(light + 2 * stride);
  const l = seen(red, green, blue, 0.3, 0.622, 0.078);
  const m = seen(red, green, blue, 0.23, 0.692, 0.078);
  if (channels & 1)
    v128.store(toX, f32x4.add(f32x4.mul(f32x4.sub(l, m), f32x4.splat(7)), f32x4.splat(0.42)));
  const y = f32x4.mul(f32x4.add(l, m), f32x4.splat(0.5));
  if (channels & 2) v128.store(toY, f32x4.add(y, f32x4.splat(0.01)));
  if (channels & 4) {
    const s = seen(red, green, blue, 0.24342268924547819, 0.20476744424496821, 0.5518098665095536);
    v128.store(toB, f32x4.add(f32x4.sub(s, y), f32x4.splat(0.55)));
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function seen(r: v128, g: v128, b: v128, red: f32, green: f32, blue: f32): v128 {
  let x = f32x4.add(f32x4.mul(r, f32x4.splat(red)), f32x4.splat(BIAS));
  x = f32x4.add(x, f32x4.mul(g, f32x4.splat(green)));
  x = f32x4.add(x, f32x4.mul(b, f32x4.splat(blue)));
  return f32x4.sub(cubeRoot(x), f32x4.splat(ROOT));
}

/** A third of the exponent is a first guess; a step of Halley's method makes it exact to 0.01%, for both images alike. */
// @ts-ignore: a decorator of AssemblyScript
@inline
function cubeRoot(x: v128): v128 {
  const third = f32x4.mul(f32x4.convert_i32x4_s(x), f32x4.splat(<f32>(1.0 / 3)));
  const y = i32x4.add(i32x4.trunc_sat_f32x4_s(third), i32x4.splat(709921077));
  const cube = f32x4.mul(y, f32x4.mul(y, y));
  const twice = f32x4.add(x, x);
  return f32x4.mul(y, f32x4.div(f32x4.add(cube, twice), f32x4.add(f32x4.add(cube, cube), x)));
}

function blurAcross(level: Level, row: usize): void {
  const stride = level.stride;
  const a = row + BLURRED * stride;
  const b = a + stride;
  for (let at: usize = GROUP; at < stride; at += GROUP) {
    const va = v128.load(a + at);
    const vb = v128.load(b + at);
    v128.store(squares + at, f32x4.add(f32x4.mul(va, va), f32x4.mul(vb, vb)));
    v128.store(product + at, f32x4.mul(va, vb));
  }
  const end = GROUP + level.width * sizeof<f32>();
  let to = row + BLURRED * GROUP;
  let nearby = level.nearby + GROUP;
  for (let at: usize = GROUP; at < end; at += GROUP, to += BLURRED * GROUP, nearby++) {
    if (!isBeside(nearby)) continue;
    v128.store(to, blur(a + at), MEAN_A);
    v128.store(to, blur(b + at), MEAN_B);
    v128.store(to, blur(squares + at), SQUARES);
    v128.store(to, blur(product + at), PRODUCT);
  }
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function blur(p: usize): v128 {
  let sum = f32x4.mul(f32x4.splat(K0), v128.load(p));
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(K1), f32x4.add(v128.load(p - 4), v128.load(p + 4))));
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(K2), f32x4.add(v128.load(p - 8), v128.load(p + 8))));
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(K3), f32x4.add(v128.load(p - 12), v128.load(p + 12))));
  return f32x4.add(sum, f32x4.mul(f32x4.splat(K4), f32x4.add(v128.load(p - 16), v128.load(p + 16))));
}

/** Compares the row that the ring has become complete for, where the images differ in reach of the blur. */
function compareReady(n: u32, level: Level): void {
  if (level.taken <= RADIUS) return;
  const row = level.taken - 1 - RADIUS;
  if (!noteNearby(level, row, RADIUS)) return;
  for (let c: u32 = 0; c < 3; c++) if (level.channels & (1 << c)) compareRow(n, level, c, row);
}

// @ts-ignore: a decorator of AssemblyScript
@inline
function pair(above: usize, below: usize, kind: usize): v128 {
  return f32x4.add(v128.load(above + kind), v128.load(below + kind));
}

function compareRow(n: u32, level: Level, channel: u32, row: usize): void {
  const stride = level.stride;
  const middle = ringRow(level, channel, row);
  const rawA = middle + BLURRED * stride;
  const rawB = rawA + stride;
  // Of the rows above the image, which are not there, the ring holds zeros.
  const up1 = ringRow(level, channel, row + TAPS - 1);
  const up2 = ringRow(level, channel, row + TAPS - 2);
  const up3 = ringRow(level, channel, row + TAPS - 3);
  const up4 = ringRow(level, channel, row + TAPS - 4);
  const down1 = ringRow(level, channel, row + 1);
  const down2 = ringRow(level, channel, row + 2);
  const down3 = ringRow(level, channel, row + 3);
  const down4 = ringRow(level, channel, row + 4);
  const one = f32x4.splat(1);
  const c2 = f32x4.splat(C2);
  const zero = f32x4.splat(0);
  const k0 = f32x4.splat(K0);
  const k1 = f32x4.splat(K1);
  const k2 = f32x4.splat(K2);
  const k3 = f32x4.splat(K3);
  const k4 = f32x4.splat(K4);
  let structure1 = zero;
  let added1 = zero;
  let lost1 = zero;
  let structure4 = zero;
  let added4 = zero;
  let lost4 = zero;
  const end = GROUP + level.width * sizeof<f32>();
  let nearby = level.nearby + GROUP;
  for (let at: usize = GROUP; at < end; at += GROUP, nearby++) {
    if (!isBeside(nearby)) continue;
    const group = at * BLURRED;
    const u1 = up1 + group;
    const u2 = up2 + group;
    const u3 = up3 + group;
    const u4 = up4 + group;
    const d1 = down1 + group;
    const d2 = down2 + group;
    const d3 = down3 + group;
    const d4 = down4 + group;
    const m = middle + group;
    let ma = f32x4.mul(k0, v128.load(m, MEAN_A));
    ma = f32x4.add(ma, f32x4.mul(k1, pair(u1, d1, MEAN_A)));
    ma = f32x4.add(ma, f32x4.mul(k2, pair(u2, d2, MEAN_A)));
    ma = f32x4.add(ma, f32x4.mul(k3, pair(u3, d3, MEAN_A)));
    ma = f32x4.add(ma, f32x4.mul(k4, pair(u4, d4, MEAN_A)));
    let mb = f32x4.mul(k0, v128.load(m, MEAN_B));
    mb = f32x4.add(mb, f32x4.mul(k1, pair(u1, d1, MEAN_B)));
    mb = f32x4.add(mb, f32x4.mul(k2, pair(u2, d2, MEAN_B)));
    mb = f32x4.add(mb, f32x4.mul(k3, pair(u3, d3, MEAN_B)));
    mb = f32x4.add(mb, f32x4.mul(k4, pair(u4, d4, MEAN_B)));
    let sum = f32x4.mul(k0, v128.load(m, SQUARES));
    sum = f32x4.add(sum, f32x4.mul(k1, pair(u1, d1, SQUARES)));
    sum = f32x4.add(sum, f32x4.mul(k2, pair(u2, d2, SQUARES)));
    sum = f32x4.add(sum, f32x4.mul(k3, pair(u3, d3, SQUARES)));
    sum = f32x4.add(sum, f32x4.mul(k4, pair(u4, d4, SQUARES)));
    let both = f32x4.mul(k0, v128.load(m, PRODUCT));
    both = f32x4.add(both, f32x4.mul(k1, pair(u1, d1, PRODUCT)));
    both = f32x4.add(both, f32x4.mul(k2, pair(u2, d2, PRODUCT)));
    both = f32x4.add(both, f32x4.mul(k3, pair(u3, d3, PRODUCT)));
    both = f32x4.add(both, f32x4.mul(k4, pair(u4, d4, PRODUCT)));
    const mm = f32x4.mul(ma, mb);
    const covariance = f32x4.add(f32x4.mul(f32x4.splat(2), f32x4.sub(both, mm)), c2);
    const variances = f32x4.add(f32x4.sub(sum, f32x4.add(f32x4.mul(ma, ma), f32x4.mul(mb, mb))), c2);
    const shift = f32x4.sub(ma, mb);
    const alike = f32x4.mul(f32x4.sub(one, f32x4.mul(shift, shift)), covariance);
    let loss = f32x4.max(zero, f32x4.sub(one, f32x4.div(alike, variances)));
    const edgeA = f32x4.add(one, f32x4.abs(f32x4.sub(v128.load(rawA + at), ma)));
    const edgeB = f32x4.add(one, f32x4.abs(f32x4.sub(v128.load(rawB + at), mb)));
    let edge = f32x4.sub(f32x4.div(edgeB, edgeA), one);
    if (at + GROUP > end) {
      const mask = tailMask((end - at) >> 2);
      loss = v128.and(loss, mask);
      edge = v128.and(edge, mask);
    }
    const added = f32x4.max(zero, edge);
    const lost = f32x4.max(zero, f32x4.neg(edge));
    structure1 = f32x4.add(structure1, loss);
    added1 = f32x4.add(added1, added);
    lost1 = f32x4.add(lost1, lost);
    const loss2 = f32x4.mul(loss, loss);
    const added2 = f32x4.mul(added, added);
    const lost2 = f32x4.mul(lost, lost);
    structure4 = f32x4.add(structure4, f32x4.mul(loss2, loss2));
    added4 = f32x4.add(added4, f32x4.mul(added2, added2));
    lost4 = f32x4.add(lost4, f32x4.mul(lost2, lost2));
  }
  const sums = channel * 6;
  addTo(sumAt(n, sums), structure1);
  addTo(sumAt(n, sums + 1), added1);
  addTo(sumAt(n, sums + 2), lost1);
  addTo(sumAt(n, sums + 3), structure4);
  addTo(sumAt(n, sums + 4), added4);
  addTo(sumAt(n, sums + 5), lost4);
}

/** All bits of the first lanes. */
function tailMask(lanes: usize): v128 {
  return i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(<i32>lanes));
}

function addTo(sum: usize, lanes: v128): void {
  const total =
    <f64>f32x4.extract_lane(lanes, 0) +
    <f64>f32x4.extract_lane(lanes, 1) +
    <f64>f32x4.extract_lane(lanes, 2) +
    <f64>f32x4.extract_lane(lanes, 3);
  store<f64>(sum, load<f64>(sum) + total);
}
