/** A scaled-down picture in linear light, and what the eye makes of it: see perceptual-planes.ts. */
import type { Plane } from '../pixels';

/** Keeps the cube root's slope finite at black (JPEG XL's opsin absorbance bias). */
const BIAS = 0.0037930732552754493;
const BIAS_ROOT = Math.cbrt(BIAS);
/** Shares of linear R, G, B in what long, medium and short cones see, and in brightness (their L-M mean). */
const LONG = [0.3, 0.622, 0.078] as const;
const MEDIUM = [0.23, 0.692, 0.078] as const;
const SHORT = [0.24342268924547819, 0.20476744424496821, 0.5518098665095536] as const;
export const BRIGHTNESS = [0.265, 0.657, 0.078] as const;
/** SSIMULACRA2's scale and offset of X, and offset of B: all three planes then span similar, positive ranges. */
const X_SCALE = 14;
const X_OFFSET = 0.42;
const B_OFFSET = 0.55;

/** Linear light, 0..1, of an sRGB sample (IEC 61966-2-1). */
export const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const c = v / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

/** Steps of light in the table of responses; fine enough for 0.001 of Y at black, where it is steepest. */
export const LEVELS = 16_384;
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

  /** Response of one kind of cone, or of brightness, to every value. */
  seenBy([r, g, b]: readonly [number, number, number]): Float32Array {
    const [red, green, blue] = this.channels;
    const seen = new Float32Array(red.length);
    for (let i = 0; i < seen.length; i++) seen[i] = response(r * red[i] + g * green[i] + b * blue[i]);
    return seen;
  }

  y(): Plane {
    return { width: this.width, height: this.height, data: this.seenBy(BRIGHTNESS) };
  }

  x(): Plane {
    const data = this.seenBy(LONG);
    const medium = this.seenBy(MEDIUM);
    for (let i = 0; i < data.length; i++) data[i] = ((data[i] - medium[i]) / 2) * X_SCALE + X_OFFSET;
    return { width: this.width, height: this.height, data };
  }

  b(): Plane {
    const data = this.seenBy(SHORT);
    const bright = this.seenBy(BRIGHTNESS);
    for (let i = 0; i < data.length; i++) data[i] += B_OFFSET - bright[i];
    return { width: this.width, height: this.height, data };
  }
}
