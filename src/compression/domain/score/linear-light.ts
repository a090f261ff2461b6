/**
 * Linear light and its perceptual planes, for images scaled to a quarter and an eighth: see
 * perceptual-planes.ts. Tables replace cube roots, which would take most of the time of a score.
 */
import type { Plane } from '../pixels';
import { srgbLight } from '../tone';

/** Keeps the slope of the cube root finite at black (opsin absorbance bias of JPEG XL). */
const BIAS = 0.0037930732552754493;
const BIAS_ROOT = Math.cbrt(BIAS);
/** Weights of linear R, G, B in the response of long, medium and short cones, and in luminance (the mean of L and M). */
const LONG = [0.3, 0.622, 0.078] as const;
const MEDIUM = [0.23, 0.692, 0.078] as const;
const SHORT = [0.24342268924547819, 0.20476744424496821, 0.5518098665095536] as const;
const LUMINANCE = [0.265, 0.657, 0.078] as const;
/** Scale of X, offset of X and offset of B from SSIMULACRA2, which give all planes similar, positive ranges. */
const X_SCALE = 14;
const X_OFFSET = 0.42;
const B_OFFSET = 0.55;

/** Linear light, 0..1, by sRGB sample. */
const LINEAR = Float32Array.from({ length: 256 }, (_, v) => srgbLight(v / 255));

/** Linear light as a 16-bit integer. The error is at most 1/40 of the step between adjacent samples, at black. */
export const LINEAR_16_MAX = 2 ** 16 - 1;
export const LINEAR_16 = Uint16Array.from(LINEAR, (light) => Math.round(light * LINEAR_16_MAX));

/** Entries of the response table; the error of Y is at most 0.001, at black, where the slope is steepest. */
const LEVELS = 16_384;
/** Luminance weights as integers. Multiplied by 16-bit linear light and shifted right by 16, their sum is a table index. */
export const LUMINANCE_SHARES = LUMINANCE.map((share) => Math.round(share * LEVELS));
/** The perceptual response, the cube root of light, by table index. Rows beyond LEVELS catch sums that round up. */
export const RESPONSE = Float32Array.from(
  { length: LEVELS + 3 },
  (_, i) => Math.cbrt(i / LEVELS + BIAS) - BIAS_ROOT,
);

/** Returns the perceptual response to linear light, 0..1, interpolated from the table with an error of at most 1e-6. */
function response(light: number) {
  const at = light * LEVELS;
  const below = at | 0;
  return RESPONSE[below] + (at - below) * (RESPONSE[below + 1] - RESPONSE[below]);
}

/** Linear R, G and B, 0..1, of a scaled-down image. */
export class LinearLight {
  readonly channels: readonly [Float32Array, Float32Array, Float32Array];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const empty = () => new Float32Array(width * height);
    this.channels = [empty(), empty(), empty()];
  }

  /** Returns the image at half size, by averaging 2×2. An odd last row or column is dropped; a side of 1 px stays. */
  atHalfSize(): LinearLight {
    const half = new LinearLight(Math.max(1, this.width >> 1), Math.max(1, this.height >> 1));
    const right = this.width > 1 ? 1 : 0;
    const below = this.height > 1 ? this.width : 0;
    for (let c = 0; c < 3; c++) {
      const from = this.channels[c];
      const to = half.channels[c];
      for (let y = 0, i = 0; y < half.height; y++) {
        for (let x = 0, p = y * 2 * below; x < half.width; x++, i++, p += 2) {
          to[i] = (from[p] + from[p + right] + from[p + below] + from[p + right + below]) / 4;
        }
      }
    }
    return half;
  }

  /** Returns X (red against green) and Y (luminance). */
  xy(): { readonly x: Plane; readonly y: Plane } {
    const [red, green, blue] = this.channels;
    const x = new Float32Array(red.length);
    const y = new Float32Array(red.length);
    for (let i = 0; i < x.length; i++) {
      const r = red[i];
      const g = green[i];
      const b = blue[i];
      const long = response(LONG[0] * r + LONG[1] * g + LONG[2] * b);
      const medium = response(MEDIUM[0] * r + MEDIUM[1] * g + MEDIUM[2] * b);
      x[i] = ((long - medium) / 2) * X_SCALE + X_OFFSET;
      y[i] = response(LUMINANCE[0] * r + LUMINANCE[1] * g + LUMINANCE[2] * b);
    }
    return { x: this.plane(x), y: this.plane(y) };
  }

  /** Returns Y (luminance) and B (blue against luminance). */
  yb(): { readonly y: Plane; readonly b: Plane } {
    const [red, green, blue] = this.channels;
    const y = new Float32Array(red.length);
    const b = new Float32Array(red.length);
    for (let i = 0; i < y.length; i++) {
      const bright = response(LUMINANCE[0] * red[i] + LUMINANCE[1] * green[i] + LUMINANCE[2] * blue[i]);
      const short = response(SHORT[0] * red[i] + SHORT[1] * green[i] + SHORT[2] * blue[i]);
      y[i] = bright;
      b[i] = short - bright + B_OFFSET;
    }
    return { y: this.plane(y), b: this.plane(b) };
  }

  private plane(data: Float32Array): Plane {
    return { width: this.width, height: this.height, data };
  }
}
