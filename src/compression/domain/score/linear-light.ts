/** A scaled-down picture in linear light, and what the eye makes of it: see perceptual-planes.ts. */
import type { Plane } from '../pixels';

/** Keeps the cube root's slope finite at black (JPEG XL's opsin absorbance bias). */
const BIAS = 0.0037930732552754493;
const BIAS_ROOT = Math.cbrt(BIAS);
/** Shares of linear R, G, B in what long, medium and short cones see, and in brightness (their L-M mean). */
const LONG = [0.3, 0.622, 0.078] as const;
const MEDIUM = [0.23, 0.692, 0.078] as const;
const SHORT = [0.24342268924547819, 0.20476744424496821, 0.5518098665095536] as const;
const BRIGHTNESS = [0.265, 0.657, 0.078] as const;
/** SSIMULACRA2's scale and offset of X, and offset of B: all three planes then span similar, positive ranges. */
const X_SCALE = 14;
const X_OFFSET = 0.42;
const B_OFFSET = 0.55;

/** Linear light, 0..1, of an sRGB sample (IEC 61966-2-1). */
const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const c = v / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

/** Linear light in whole numbers: a fortieth of the step between neighbouring samples at most, at black. */
export const WHOLE_ONE = 2 ** 16 - 1;
export const WHOLE = Uint16Array.from(LINEAR, (light) => Math.round(light * WHOLE_ONE));

/** Steps of light in the table of responses; fine enough for 0.001 of Y at black, where it is steepest. */
const LEVELS = 16_384;
/** Shares of brightness such that their sum times linear light in whole numbers, less 16 bits, is such a step. */
export const BRIGHTNESS_SHARES = BRIGHTNESS.map((share) => Math.round(share * LEVELS));
/** The eye's response to each of them. */
export const RESPONSE = Float32Array.from(
  { length: LEVELS + 3 },
  (_, i) => Math.cbrt(i / LEVELS + BIAS) - BIAS_ROOT,
);

/** The eye's response to linear light from 0 to 1, between the entries of the table: a millionth off at most. */
function response(light: number): number {
  const at = light * LEVELS;
  const below = at | 0;
  return RESPONSE[below] + (at - below) * (RESPONSE[below + 1] - RESPONSE[below]);
}

/** Linear R, G, B of a scaled-down image. */
export class LinearLight {
  readonly channels: readonly [Float32Array, Float32Array, Float32Array];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const empty = () => new Float32Array(width * height);
    this.channels = [empty(), empty(), empty()];
  }

  /**
   * Takes over the sums over 4×4 blocks of light in whole numbers.
   * @param sums red, green and blue of one block after the other
   * @param start the first of these blocks
   */
  fill(sums: Uint32Array, start: number): void {
    const [red, green, blue] = this.channels;
    const one = WHOLE_ONE * 16;
    for (let i = 0, k = start; i < sums.length; i += 3, k++) {
      red[k] = sums[i] / one;
      green[k] = sums[i + 1] / one;
      blue[k] = sums[i + 2] / one;
    }
  }

  /** Half the size by averaging 2×2; an odd last row or column is dropped, a side of 1 px stays. */
  halved(): LinearLight {
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

  /** Brightness, and red against green. */
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
      y[i] = response(BRIGHTNESS[0] * r + BRIGHTNESS[1] * g + BRIGHTNESS[2] * b);
    }
    return { x: this.plane(x), y: this.plane(y) };
  }

  /** Brightness, and blue against it. */
  yb(): { readonly y: Plane; readonly b: Plane } {
    const [red, green, blue] = this.channels;
    const y = new Float32Array(red.length);
    const b = new Float32Array(red.length);
    for (let i = 0; i < y.length; i++) {
      const bright = response(BRIGHTNESS[0] * red[i] + BRIGHTNESS[1] * green[i] + BRIGHTNESS[2] * blue[i]);
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
