/**
 * Fewer shades: every sample of colour goes to the nearest of evenly spaced ones. Equal pixels stay equal wherever they
 * stand, so deflate still finds every repeated glyph, icon and line. That beats coding residuals (near-lossless-rows.ts)
 * for text and drawings; photos repeat nothing and lose by it.
 */
import type { Pixels } from '../pixels';

const WHITE = 255;

/**
 * @param bound greatest change of a sample, 1 or 2: the shades then lie 3 or 5 apart, of which 255 is a multiple, and
 * black and white stay as they are.
 */
export function posterise(image: Pixels, bound: 1 | 2): Pixels {
  const step = 2 * bound + 1;
  const shade = Uint8Array.from({ length: WHITE + 1 }, (_, value) => Math.round(value / step) * step);
  return inShades(image, shade, undefined);
}

/** So many evenly spaced shades a channel, alpha included: an image that must be small, however it looks. */
export function posteriseToShades(image: Pixels, shades: number): Pixels {
  const step = WHITE / (shades - 1);
  const shade = Uint8Array.from({ length: WHITE + 1 }, (_, value) =>
    Math.round(Math.round(value / step) * step),
  );
  return inShades(image, shade, shade);
}

function inShades(
  { width, height, channels, data }: Pixels,
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
    // Nobody sees colour under an alpha of 0; black repeats best.
    for (let c = 0; c < colours; c++) out[at + c] = alpha === 0 ? 0 : shade[data[at + c]];
  }
  return { width, height, channels, data: out };
}
