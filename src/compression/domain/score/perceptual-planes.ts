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
import { BRIGHTNESS_SHARES, LinearLight, RESPONSE, WHOLE, WHOLE_ONE } from './linear-light';

/** What is looked at smaller than it is: colour, and brightness at the sizes where blocks show. */
export interface SmallPlanes {
  readonly quarter: { readonly x: Plane; readonly y: Plane };
  readonly eighth: { readonly y: Plane; readonly b: Plane };
}

const BLOCK = 4;

/** @param light of the picture at a quarter of its size */
export function smallPlanes(light: LinearLight): SmallPlanes {
  return { quarter: light.xy(), eighth: light.halved().yb() };
}

/** Without alpha, and with the one channel of a grey picture in the place of all three. */
export function asRgb(pixels: Pixels): Pixels {
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

/** Brightness at full size. */
export function brightnessPlane({ width, height, data }: Pixels): Plane {
  const [red, green, blue] = BRIGHTNESS_SHARES;
  const y = Float32Array.from({ length: width * height }, (_, i) => {
    const light = WHOLE[data[i * 3]] * red + WHOLE[data[i * 3 + 1]] * green + WHOLE[data[i * 3 + 2]] * blue;
    return RESPONSE[(light + 2 ** 15) >>> 16];
  });
  return { width, height, data: y };
}

/**
 * Linear light, averaged over blocks of 4×4, or as small as a side of less than that. Up to 3 px at the right and bottom
 * edges that fill no block are left out.
 */
export function meanLight({ width, height, data }: Pixels): LinearLight {
  const light = new LinearLight(Math.max(1, width >> 2), Math.max(1, height >> 2));
  const blockWidth = Math.min(BLOCK, width);
  const blockHeight = Math.min(BLOCK, height);
  const one = WHOLE_ONE * blockWidth * blockHeight;
  for (let y = 0; y < light.height * blockHeight; y++) {
    for (let x = 0; x < light.width * blockWidth; x++) {
      const k = Math.floor(y / blockHeight) * light.width + Math.floor(x / blockWidth);
      light.channels.forEach((channel, c) => {
        channel[k] += WHOLE[data[(y * width + x) * 3 + c]] / one;
      });
    }
  }
  return light;
}
