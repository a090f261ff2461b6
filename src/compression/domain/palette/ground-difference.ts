/**
 * Compares colours as they appear over black and over white. Both count, because a transparent colour changes
 * with the background, and a difference that black hides may show on white.
 */

const OPAQUE = 255;

/**
 * Returns the colours over black with their alpha, four numbers of 0..255 each: the form in which palettes
 * are compared and averaged.
 */
export function onBlack(rgba: Uint8Array): Float32Array {
  const out = new Float32Array(rgba.length);
  for (let at = 0; at < rgba.length; at += 4) readOnBlack(rgba, at, out.subarray(at, at + 4));
  return out;
}

/** Writes one colour in the form of onBlack. @param at of the pixel in `rgba`, in bytes */
export function readOnBlack(rgba: Uint8Array, at: number, to: Float32Array): void {
  const alpha = rgba[at + 3];
  for (let c = 0; c < 3; c++) to[c] = (rgba[at + c] * alpha) / OPAQUE;
  to[3] = alpha;
}

/** The inverse of onBlack, rounded to RGBA. */
export function offBlack(colours: Float32Array): Uint8Array {
  const out = new Uint8Array(colours.length);
  for (let at = 0; at < colours.length; at += 4) {
    const alpha = Math.round(colours[at + 3]);
    out[at + 3] = alpha;
    for (let c = 0; c < 3 && alpha > 0; c++)
      out[at + c] = Math.min(OPAQUE, Math.round((colours[at + c] * OPAQUE) / alpha));
  }
  return out;
}

/**
 * Returns the squared difference of two colours in the form of onBlack, summed over both backgrounds; red
 * counts twice and green four times, so a grey difference of d gives 14 d². @param at start of the colour in
 * `a`; `other` is its start in `b`
 */
export function squaredDifference(a: Float32Array, at: number, b: Float32Array, other: number): number {
  // No arrays: this is called millions of times.
  const alpha = a[at + 3] - b[other + 3];
  const red = a[at] - b[other];
  const green = a[at + 1] - b[other + 1];
  const blue = a[at + 2] - b[other + 2];
  const redOnWhite = red - alpha;
  const greenOnWhite = green - alpha;
  const blueOnWhite = blue - alpha;
  return (
    2 * (red * red + redOnWhite * redOnWhite) +
    4 * (green * green + greenOnWhite * greenOnWhite) +
    blue * blue +
    blueOnWhite * blueOnWhite
  );
}
