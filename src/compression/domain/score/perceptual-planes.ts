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
import { BRIGHTNESS, LEVELS, LINEAR, LinearLight, RESPONSE } from './linear-light';

export interface PerceptualPlanes {
  readonly y: Plane;
  readonly quarter: { readonly x: Plane; readonly y: Plane };
  readonly eighth: { readonly y: Plane; readonly b: Plane };
}

/** Linear light in whole numbers: a fortieth of the step between neighbouring samples at most, at black. */
const WHOLE_ONE = 2 ** 16 - 1;
const WHOLE = Uint16Array.from(LINEAR, (light) => Math.round(light * WHOLE_ONE));
const BLOCK = 4;
/** Shares of brightness such that their sum times linear light in whole numbers, less 16 bits, is a level. */
const [BRIGHT_R, BRIGHT_G, BRIGHT_B] = BRIGHTNESS.map((share) => Math.round(share * LEVELS));
const HALF = 2 ** 15;

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
