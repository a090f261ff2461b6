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
import type { Pixels, Plane } from '../pixels';

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
/** Linear light in whole numbers: a fortieth of the step between neighbouring samples at most, at black. */
const WHOLE_ONE = 2 ** 16 - 1;
const WHOLE = Uint16Array.from(LINEAR, (light) => Math.round(light * WHOLE_ONE));
const BLOCK = 4;
/** Steps of light in the table of responses; fine enough for 0.001 of Y at black, where it is steepest. */
const LEVELS = 16_384;
const RESPONSE = Float32Array.from(
  { length: LEVELS + 3 },
  (_, i) => Math.cbrt(i / LEVELS + BIAS) - BIAS_ROOT,
);
/** Shares of brightness such that their sum times linear light in whole numbers, less 16 bits, is a level. */
const [BRIGHT_R, BRIGHT_G, BRIGHT_B] = BRIGHTNESS.map((share) => Math.round(share * LEVELS));
const HALF = 2 ** 15;

/** The eye's response to linear light from 0 to 1, between the entries of the table: a millionth off at most. */
function response(light: number): number {
  const at = light * LEVELS;
  const below = at | 0;
  return RESPONSE[below] + (at - below) * (RESPONSE[below + 1] - RESPONSE[below]);
}

/** Alpha is not looked at. An image without colour has constant X and B planes. */
export function perceptualPlanes(pixels: Pixels): PerceptualPlanes {
  const { y, light } = brightnessAndLight(asRgb(pixels));
  const eighth = light.halved();
  return {
    y,
    quarter: { x: light.x(), y: light.y() },
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

/**
 * Brightness at full size, and linear light averaged over blocks of 4×4: each sample is read once for both. Up to 3 px
 * at the right and bottom edges that fill no block count in the full-size plane alone.
 */
function brightnessAndLight(rgb: Pixels): { readonly y: Plane; readonly light: LinearLight } {
  const { width, height, data } = rgb;
  const y = new Float32Array(width * height);
  const inBlocks = { width: width - (width % BLOCK), height: height - (height % BLOCK) };
  for (let row = 0; row < height; row++) {
    const start = row < inBlocks.height ? inBlocks.width : 0;
    for (let i = row * width + start, end = (row + 1) * width; i < end; i++) {
      y[i] = brightness(WHOLE[data[i * 3]], WHOLE[data[i * 3 + 1]], WHOLE[data[i * 3 + 2]]);
    }
  }
  const light = width < BLOCK || height < BLOCK ? smallLight(rgb) : blocks(rgb, y);
  return { y: { width, height, data: y }, light };
}

/** The response to one pixel, from its linear light in whole numbers. */
function brightness(r: number, g: number, b: number): number {
  return RESPONSE[(r * BRIGHT_R + g * BRIGHT_G + b * BRIGHT_B + HALF) >>> 16];
}

/** All 4×4 blocks: fills in their brightness, and gives their mean light. */
function blocks({ width, height, data }: Pixels, y: Float32Array): LinearLight {
  const light = new LinearLight(width >> 2, height >> 2);
  const [red, green, blue] = light.channels;
  for (let row = 0, k = 0; row < light.height; row++) {
    for (let start = row * BLOCK * width, end = k + light.width; k < end; k++, start += BLOCK) {
      let r = 0;
      let g = 0;
      let b = 0;
      for (let line = 0, i = start, p = start * 3; line < BLOCK; line++, i += width, p += width * 3) {
        const r0 = WHOLE[data[p]];
        const g0 = WHOLE[data[p + 1]];
        const b0 = WHOLE[data[p + 2]];
        const r1 = WHOLE[data[p + 3]];
        const g1 = WHOLE[data[p + 4]];
        const b1 = WHOLE[data[p + 5]];
        const r2 = WHOLE[data[p + 6]];
        const g2 = WHOLE[data[p + 7]];
        const b2 = WHOLE[data[p + 8]];
        const r3 = WHOLE[data[p + 9]];
        const g3 = WHOLE[data[p + 10]];
        const b3 = WHOLE[data[p + 11]];
        y[i] = brightness(r0, g0, b0);
        y[i + 1] = brightness(r1, g1, b1);
        y[i + 2] = brightness(r2, g2, b2);
        y[i + 3] = brightness(r3, g3, b3);
        r += r0 + r1 + r2 + r3;
        g += g0 + g1 + g2 + g3;
        b += b0 + b1 + b2 + b3;
      }
      red[k] = r / (WHOLE_ONE * 16);
      green[k] = g / (WHOLE_ONE * 16);
      blue[k] = b / (WHOLE_ONE * 16);
    }
  }
  return light;
}

/** The same for an image with a side of less than 4 px: its blocks are as small as that side. */
function smallLight({ width, height, data }: Pixels): LinearLight {
  const light = new LinearLight(Math.max(1, width >> 2), Math.max(1, height >> 2));
  const blockWidth = Math.min(BLOCK, width);
  const blockHeight = Math.min(BLOCK, height);
  for (let y = 0; y < light.height * blockHeight; y++) {
    for (let x = 0; x < light.width * blockWidth; x++) {
      const k = Math.floor(y / blockHeight) * light.width + Math.floor(x / blockWidth);
      light.channels.forEach((channel, c) => {
        channel[k] += LINEAR[data[(y * width + x) * 3 + c]] / (blockWidth * blockHeight);
      });
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
