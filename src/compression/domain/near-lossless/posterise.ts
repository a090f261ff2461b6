/**
 * Rounds every sample to evenly spaced shades. Equal pixels stay equal, so deflate still finds every repeated
 * glyph, icon and line: text and drawings become smaller than with rounded residuals (near-lossless-rows.ts),
 * photos larger, because they repeat nothing.
 */
import type { FixedPixels } from '../kept-colours';
import type { Pixels } from '../pixels';

const WHITE = 255;

/** @param bound 1 or 2: shades are 3 or 5 apart, which divides 255, so black and white stay exact */
export function posterise(image: FixedPixels, bound: 1 | 2): Pixels {
  const step = 2 * bound + 1;
  const shade = Uint8Array.from({ length: WHITE + 1 }, (_, value) => Math.round(value / step) * step);
  return inShades(image, shade, undefined);
}

/**
 * Rounds every channel, alpha included, for images that must be small at any loss. @param shades per channel,
 * at least 2
 */
export function posteriseToShades(image: Pixels, shades: number): Pixels {
  const step = WHITE / (shades - 1);
  const shade = Uint8Array.from({ length: WHITE + 1 }, (_, value) =>
    Math.round(Math.round(value / step) * step),
  );
  return inShades(image, shade, shade);
}

function inShades(
  { width, height, channels, data, isFixed }: FixedPixels,
  shade: Uint8Array,
  alphaShade: Uint8Array | undefined,
): Pixels {
  const hasAlpha = channels % 2 === 0;
  const colours = hasAlpha ? channels - 1 : channels;
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += channels) {
    const stored = hasAlpha ? data[at + colours] : WHITE;
    const alpha = alphaShade ? alphaShade[stored] : stored;
    if (hasAlpha) out[at + colours] = alpha;
    const isExact = isFixed?.[at / channels] === 1;
    for (let c = 0; c < colours; c++) {
      const sample = data[at + c];
      // Under alpha 0 black repeats best; the colour of the pixel to the left repeats nearly as well and leaves no fringes.
      const unseen = alphaShade ? 0 : at > 0 ? out[at - channels + c] : sample;
      out[at + c] = isExact ? sample : alpha === 0 ? unseen : shade[sample];
    }
  }
  return { width, height, channels, data: out };
}
