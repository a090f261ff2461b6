/**
 * The planes that the score looks at: XYB, the opponent colours of JPEG XL (ISO/IEC 18181-1) and SSIMULACRA2, in
 * which equal steps look about equally large. Light is made linear (IEC 61966-2-1) and mixed to what the three
 * kinds of cones see; the cube root stands for the eye's response; X is red against green, Y brightness, B blue
 * against brightness.
 *
 * Brightness is needed at full size, where fine detail lives; colour only at a quarter and an eighth, where the eye
 * resolves it. Scaling down happens in linear light, as lenses and displays do it.
 *
 * The samples are read as sRGB whatever the profile: both images of a comparison are read alike.
 */
import type { Pixels, Plane } from './pixels';

export interface PerceptualPlanes {
  readonly y: Plane;
  readonly quarter: { readonly x: Plane; readonly y: Plane };
  readonly eighth: { readonly y: Plane; readonly b: Plane };
}

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

const LINEAR = Float32Array.from({ length: 256 }, (_, v) => {
  const c = v / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});
/** Steps of brightness in the table of responses; fine enough for 0.001 of Y at black, where it is steepest. */
const LEVELS = 16_384;
const RESPONSE = Float32Array.from({ length: LEVELS + 3 }, (_, i) => response(i / LEVELS));
const [BRIGHT_R, BRIGHT_G, BRIGHT_B] = BRIGHTNESS.map((share) =>
  Int32Array.from(LINEAR, (light) => Math.round(light * share * LEVELS)),
);

function response(light: number): number {
  return Math.cbrt(light + BIAS) - BIAS_ROOT;
}

/** Alpha is not looked at. An image without colour has constant X and B planes. */
export function perceptualPlanes(pixels: Pixels): PerceptualPlanes {
  const rgb = asRgb(pixels);
  const quarter = quarterLight(rgb);
  const eighth = quarter.halved();
  return {
    y: fullSizeBrightness(rgb),
    quarter: { x: quarter.x(), y: quarter.y() },
    eighth: { y: eighth.y(), b: eighth.b() },
  };
}

function asRgb(pixels: Pixels): Pixels {
  const { width, height, channels, data } = pixels;
  if (channels === 3) return pixels;
  const rgb = new Uint8Array(width * height * 3);
  const [green, blue] = channels === 4 ? [1, 2] : [0, 0];
  for (let i = 0, p = 0; i < rgb.length; i += 3, p += channels) {
    rgb[i] = data[p];
    rgb[i + 1] = data[p + green];
    rgb[i + 2] = data[p + blue];
  }
  return { width, height, channels: 3, data: rgb };
}

function fullSizeBrightness({ width, height, data }: Pixels): Plane {
  const y = new Float32Array(width * height);
  for (let i = 0, p = 0; i < y.length; i++, p += 3) {
    y[i] = RESPONSE[BRIGHT_R[data[p]] + BRIGHT_G[data[p + 1]] + BRIGHT_B[data[p + 2]]];
  }
  return { width, height, data: y };
}

/**
 * Linear light averaged over blocks of 4×4 (of less where the image is smaller). Up to 3 px at the right and bottom
 * edges that fill no block are left to the full-size plane.
 */
function quarterLight({ width, height, data }: Pixels): LinearLight {
  const light = new LinearLight(Math.max(1, width >> 2), Math.max(1, height >> 2));
  const [red, green, blue] = light.channels;
  const blockWidth = Math.min(4, width);
  const blockHeight = Math.min(4, height);
  const share = 1 / (blockWidth * blockHeight);
  for (let row = 0; row < light.height * blockHeight; row++) {
    let k = Math.floor(row / blockHeight) * light.width;
    let p = row * width * 3;
    for (let column = 0; column < light.width; column++, k++) {
      let r = 0;
      let g = 0;
      let b = 0;
      for (const end = p + blockWidth * 3; p < end; p += 3) {
        r += LINEAR[data[p]];
        g += LINEAR[data[p + 1]];
        b += LINEAR[data[p + 2]];
      }
      red[k] += r * share;
      green[k] += g * share;
      blue[k] += b * share;
    }
  }
  return light;
}

/** Linear R, G, B of a scaled-down image. */
class LinearLight {
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
