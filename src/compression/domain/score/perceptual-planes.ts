/**
 * The planes that the score compares: XYB, the opponent colours of JPEG XL (ISO/IEC 18181-1) and SSIMULACRA2,
 * in which equal differences look about equally large. X is red against green, Y is luminance, B is blue
 * against luminance. Colour is compared only at a quarter and an eighth of the size, because the eye resolves
 * it less.
 *
 * Samples are read as sRGB (IEC 61966-2-1) whatever the profile says: both images of a comparison have the
 * same profile, so a profile near sRGB changes little. It would mislead for CMYK, whose samples are amounts
 * of ink: equal steps of ink are not equal steps of what is seen, and black can be made of any of them. The
 * same goes for lookup tables and curves far from sRGB. Scores mean nothing on such samples, so recipes score
 * what is displayed, converted to sRGB, or change nothing but the coding.
 */
import type { Pixels, Plane } from '../pixels';
import type { SmallPlane } from './comparison';
import { LUMINANCE_SHARES, LinearLight, RESPONSE, LINEAR_16, LINEAR_16_MAX } from './linear-light';

export type SmallPlanes = Readonly<Record<SmallPlane, Plane>>;

const BLOCK = 4;
/** Local copies: in a loop over pixels, an import is looked up each time. */
const [LIGHT, SEEN] = [LINEAR_16, RESPONSE];

/** @param light the image at a quarter of its size */
export function smallPlanes(light: LinearLight): SmallPlanes {
  const quarter = light.xy();
  const eighth = light.atHalfSize().yb();
  return { quarterX: quarter.x, quarterY: quarter.y, eighthY: eighth.y, eighthB: eighth.b };
}

/** Returns Y at full size. @param pixels RGB or RGBA; alpha is ignored */
export function luminancePlane({ width, height, channels, data }: Pixels): Plane {
  const [red, green, blue] = LUMINANCE_SHARES;
  const y = new Float32Array(width * height);
  for (let i = 0, at = 0; i < y.length; i++, at += channels) {
    const light = LIGHT[data[at]] * red + LIGHT[data[at + 1]] * green + LIGHT[data[at + 2]] * blue;
    y[i] = SEEN[(light + 2 ** 15) >>> 16];
  }
  return { width, height, data: y };
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
