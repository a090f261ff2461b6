/**
 * The planes that are looked at smaller than the image (src/compression/domain/score/linear-light.ts defines them):
 * red against green and luminance at a quarter, luminance and blue against it at an eighth. Constant offsets are left
 * out, and half of the range is taken from luminance: all terms look at differences, and small values lose less.
 */
import { BLOCK, blocks, lightBytes, planeOffset, planeWidth } from './layout';

/** Of linear light as an integer, summed over a block. */
const ONE: f32 = 65_535 * 16;
const BIAS: f32 = 0.0037930732552754493;
/** Cube root of the bias, and half of the response to white. */
const CENTRE: f32 = 0.1559542025 + 0.4227;
const X_SCALE: f32 = 14;

/** Adds a row to the planes at a quarter, and to those at an eighth with every second one. */
export function addPlaneRow(planes: usize, row: usize, light: usize, lightAbove: usize): void {
  const x = planes + planeOffset(0) + row * blocks * sizeof<f32>();
  const y = planes + planeOffset(1) + row * blocks * sizeof<f32>();
  for (let at: usize = 0; at < blocks * sizeof<f32>(); at += 16) {
    const red = lightAt(light + at);
    const green = lightAt(light + lightBytes + at);
    const blue = lightAt(light + 2 * lightBytes + at);
    const long = mixed(red, green, blue, 0.3, 0.622, 0.078);
    const medium = mixed(red, green, blue, 0.23, 0.692, 0.078);
    const difference = f32x4.sub(response(long), response(medium));
    v128.store(x + at, f32x4.mul(difference, f32x4.splat(X_SCALE / 2)));
    v128.store(y + at, luminance(red, green, blue));
  }
  if (row % 2 == 1) addHalvedRow(planes, row >> 1, light, lightAbove);
}

function addHalvedRow(planes: usize, row: usize, light: usize, lightAbove: usize): void {
  const width = planeWidth(2);
  const y = planes + planeOffset(2) + row * width * sizeof<f32>();
  const b = planes + planeOffset(3) + row * width * sizeof<f32>();
  for (let at: usize = 0; at < width * sizeof<f32>(); at += 16) {
    const red = halved(light + 2 * at, lightAbove + 2 * at);
    const green = halved(light + lightBytes + 2 * at, lightAbove + lightBytes + 2 * at);
    const blue = halved(light + 2 * lightBytes + 2 * at, lightAbove + 2 * lightBytes + 2 * at);
    const bright = luminance(red, green, blue);
    const short = mixed(red, green, blue, 0.24342268924547819, 0.20476744424496821, 0.5518098665095536);
    v128.store(y + at, bright);
    v128.store(b + at, f32x4.sub(f32x4.sub(response(short), f32x4.splat(CENTRE)), bright));
  }
}

/** Four values of linear light, 0 to 1. */
function lightAt(at: usize): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(v128.load(at)), f32x4.splat(1 / ONE));
}

/** Means of 2×2 values, four of them. */
function halved(at: usize, above: usize): v128 {
  const left = i32x4.add(v128.load(at), v128.load(above));
  const right = i32x4.add(v128.load(at, 16), v128.load(above, 16));
  const sum = i32x4.add(
    v128.shuffle<i32>(left, right, 0, 2, 4, 6),
    v128.shuffle<i32>(left, right, 1, 3, 5, 7),
  );
  return f32x4.mul(f32x4.convert_i32x4_s(sum), f32x4.splat(1 / (4 * ONE)));
}

function luminance(red: v128, green: v128, blue: v128): v128 {
  return f32x4.sub(response(mixed(red, green, blue, 0.265, 0.657, 0.078)), f32x4.splat(CENTRE));
}

function mixed(red: v128, green: v128, blue: v128, ofRed: f32, ofGreen: f32, ofBlue: f32): v128 {
  const redAndGreen = f32x4.add(f32x4.mul(red, f32x4.splat(ofRed)), f32x4.mul(green, f32x4.splat(ofGreen)));
  return f32x4.add(redAndGreen, f32x4.mul(blue, f32x4.splat(ofBlue)));
}

/**
 * Cube root of light and bias. A third of the bits of a float, taken as an integer, is a cube root to within 5%
 * (W. Kahan); each step of Halley's method leaves less than the cube of the error.
 */
function response(light: v128): v128 {
  const value = f32x4.add(light, f32x4.splat(BIAS));
  const third = f32x4.mul(f32x4.convert_i32x4_s(value), f32x4.splat(1.0 / 3.0));
  const guess = i32x4.add(i32x4.trunc_sat_f32x4_s(third), i32x4.splat(709_921_077));
  return refined(refined(guess, value), value);
}

function refined(root: v128, value: v128): v128 {
  const cube = f32x4.mul(f32x4.mul(root, root), root);
  const above = f32x4.add(f32x4.add(value, value), cube);
  const below = f32x4.add(f32x4.add(cube, cube), value);
  return f32x4.mul(root, f32x4.div(above, below));
}

/**
 * Edges that the candidate shows and the reference does not (src/compression/domain/score/plain-reference.ts defines them):
 * their mean to the power, root taken.
 */
export function edgesBetween(a: usize, b: usize, width: usize, height: usize, power: u32): f64 {
  let sum = f64x2.splat(0);
  for (let top: usize = 0; top + BLOCK <= height; top += BLOCK) {
    for (let left: usize = 0; left + BLOCK <= width; left += BLOCK) {
      const at = (top * width + left) * sizeof<f32>();
      const meanA = blockMean(a + at, width);
      const meanB = blockMean(b + at, width);
      for (let row: usize = 0; row < BLOCK; row++) {
        const from = at + row * width * sizeof<f32>();
        const edgeA = f32x4.abs(f32x4.sub(v128.load(a + from), meanA));
        const edgeB = f32x4.abs(f32x4.sub(v128.load(b + from), meanB));
        const change = f32x4.div(f32x4.sub(edgeB, edgeA), f32x4.add(f32x4.splat(1), edgeA));
        const added = f32x4.max(change, f32x4.splat(0));
        let powers = f32x4.mul(added, added);
        if (power == 4) powers = f32x4.mul(powers, powers);
        sum = f64x2.add(sum, f64x2.promote_low_f32x4(powers));
        sum = f64x2.add(sum, f64x2.promote_low_f32x4(v128.shuffle<f32>(powers, powers, 2, 3, 2, 3)));
      }
    }
  }
  const count = <f64>((width & ~3) * (height & ~3));
  const root = sqrt((f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)) / count);
  return power == 2 ? root : sqrt(root);
}

/** In all lanes. */
function blockMean(plane: usize, width: usize): v128 {
  const rowSize = width * sizeof<f32>();
  const upper = f32x4.add(v128.load(plane), v128.load(plane + rowSize));
  const lower = f32x4.add(v128.load(plane + 2 * rowSize), v128.load(plane + 3 * rowSize));
  const sum = f32x4.add(upper, lower);
  const pairs = f32x4.add(sum, v128.shuffle<f32>(sum, sum, 1, 0, 3, 2));
  const all = f32x4.add(pairs, v128.shuffle<f32>(pairs, pairs, 2, 3, 0, 1));
  return f32x4.mul(all, f32x4.splat(1.0 / 16.0));
}
