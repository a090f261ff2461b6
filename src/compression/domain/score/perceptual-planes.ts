/**
 * The planes that the score compares: XYB, the opponent colours of JPEG XL (ISO/IEC 18181-1) and SSIMULACRA2, in which
 * equal differences look about equally large. X is red against green, Y is luminance, B is blue against luminance.
 * Samples are read as sRGB (IEC 61966-2-1) whatever the profile says, and scaled down in linear light. Colour is
 * compared only at a quarter and an eighth of the size, because the eye resolves it less.
 */
import { pixelWords, withColourChannels, type Pixels, type Plane } from '../pixels';
import type { SmallPlane } from './comparison';
import { LUMINANCE_SHARES, LinearLight, RESPONSE, LINEAR_16, LINEAR_16_MAX } from './linear-light';

export type SmallPlanes = Readonly<Record<SmallPlane, Plane>>;

const BLOCK = 4;
/** Local copies: in a loop over pixels, an import is looked up each time. */
const [LIGHT, SEEN] = [LINEAR_16, RESPONSE];

export function smallPlanes(light: LinearLight): SmallPlanes {
  const quarter = light.xy();
  const eighth = light.atHalfSize().yb();
  return { quarterX: quarter.x, quarterY: quarter.y, eighthY: eighth.y, eighthB: eighth.b };
}

export function luminancePlane({ width, height, channels, data }: Pixels): Plane {
  const [red, green, blue] = LUMINANCE_SHARES;
  const y = new Float32Array(width * height);
  for (let i = 0, at = 0; i < y.length; i++, at += channels) {
    const light = LIGHT[data[at]] * red + LIGHT[data[at + 1]] * green + LIGHT[data[at + 2]] * blue;
    y[i] = SEEN[(light + 2 ** 15) >>> 16];
  }
  return { width, height, data: y };
}

export interface HalfSized {
  readonly pixels: Pixels;
  readonly luminance: Plane;
  readonly isUsed: Uint8Array;
  /** Memory for the luminance of candidates, one at a time; new memory takes longer to fill. */
  readonly scratch: Float32Array;
}

/** Returns the luminance of blocks of 2×2 px; drops an odd last row or column. */
export function halfSizeLuminance(pixels: Pixels): Plane {
  const { width, height, channels, data } = withColourChannels(pixels);
  const half = { width: width >> 1, height: height >> 1 };
  const y = new Float32Array(half.width * half.height);
  for (let row = 0, i = 0; row < half.height; row++) {
    const start = 2 * row * width * channels;
    for (let column = 0; column < half.width; column++, i++)
      y[i] = blockLuminance(data, start + 2 * column * channels, channels, width * channels);
  }
  return { ...half, data: y };
}

/**
 * Takes the values of the original where the pixels are equal or the luminance is not used. Valid until the next call.
 */
export function halfSizeBeside(
  { pixels: original, luminance, isUsed, scratch }: HalfSized,
  candidate: Pixels,
): Plane {
  const { width, channels, data } = withColourChannels(candidate);
  const areWords = channels === 4 && original.channels === 4;
  const [a, b] = areWords ? [signedWords(original.data), signedWords(data)] : [];
  const half = { width: luminance.width, height: luminance.height };
  scratch.set(luminance.data);
  for (let row = 0, i = 0; row < half.height; row++) {
    for (let column = 0; column < half.width; column++, i++) {
      const at = 2 * (row * width + column);
      if (isUsed[i] === 0 || (a && b && areSame(a, b, at, width))) continue;
      scratch[i] = blockLuminance(data, at * channels, channels, width * channels);
    }
  }
  return { ...half, data: scratch };
}

function blockLuminance(data: Uint8Array, p: number, channels: number, rowBytes: number): number {
  const [red, green, blue] = LUMINANCE_SHARES;
  const q = p + channels;
  const r = p + rowBytes;
  const s = r + channels;
  // A loop over the channels takes nearly twice as long.
  const light =
    red * (LIGHT[data[p]] + LIGHT[data[q]] + LIGHT[data[r]] + LIGHT[data[s]]) +
    green * (LIGHT[data[p + 1]] + LIGHT[data[q + 1]] + LIGHT[data[r + 1]] + LIGHT[data[s + 1]]) +
    blue * (LIGHT[data[p + 2]] + LIGHT[data[q + 2]] + LIGHT[data[r + 2]] + LIGHT[data[s + 2]]);
  return SEEN[(light / 4 + 2 ** 15) >>> 16];
}

/** Returns RGBA pixels as signed numbers, because V8 boxes larger ones in comparisons. */
function signedWords(data: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = pixelWords(data);
  return new Int32Array(buffer, byteOffset, length);
}

function areSame(a: Int32Array, b: Int32Array, at: number, width: number): boolean {
  const below = at + width;
  const above = (a[at] ^ b[at]) | (a[at + 1] ^ b[at + 1]);
  return (above | (a[below] ^ b[below]) | (a[below + 1] ^ b[below + 1])) === 0;
}

/** Returns linear light averaged over blocks of 4×4, or smaller if the image is. Incomplete blocks are ignored. */
export function meanLight({ width, height, channels, data }: Pixels): LinearLight {
  const light = new LinearLight(Math.max(1, width >> 2), Math.max(1, height >> 2));
  const blockWidth = Math.min(BLOCK, width);
  const blockHeight = Math.min(BLOCK, height);
  const one = LINEAR_16_MAX * blockWidth * blockHeight;
  light.channels.forEach((channel, c) => {
    for (let k = 0; k < channel.length; k++) {
      const [column, row] = [k % light.width, Math.floor(k / light.width)];
      const first = (row * blockHeight * width + column * blockWidth) * channels + c;
      let sum = 0;
      for (let y = 0; y < blockHeight; y++) {
        const start = first + y * width * channels;
        for (let x = 0; x < blockWidth; x++) sum += LIGHT[data[start + x * channels]];
      }
      channel[k] = sum / one;
    }
  });
  return light;
}
