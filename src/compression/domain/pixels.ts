import type { Dimensions, Position } from './dimensions';

/**
 * Decoded samples: 8 bits each, interleaved, rows from the top, no padding. One channel is grey, three are
 * R, G, B as stored in the file (no colour conversion), two and four add alpha, not premultiplied.
 */
export interface Pixels extends Dimensions {
  readonly channels: 1 | 2 | 3 | 4;
  readonly data: Uint8Array;
}

/** One value a pixel, rows from the top. */
export interface Plane extends Dimensions {
  readonly data: Float32Array;
}

/** Chroma resolution of a JPEG: halved in both directions, or full. */
export type ChromaSubsampling = '4:2:0' | '4:4:4';

/** A rectangle of a picture, which it has to lie within. */
export function cut({ width, channels, data }: Pixels, from: Position, size: Dimensions): Pixels {
  const rowBytes = size.width * channels;
  const out = new Uint8Array(rowBytes * size.height);
  for (let y = 0; y < size.height; y++) {
    const start = ((from.top + y) * width + from.left) * channels;
    out.set(data.subarray(start, start + rowBytes), y * rowBytes);
  }
  return { width: size.width, height: size.height, channels, data: out };
}

/** What JPEG calls luma (ITU-T T.871). */
export function luma(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Whether nothing shines through anywhere. */
export function isOpaque({ channels, data }: Pixels): boolean {
  if (channels === 1 || channels === 3) return true;
  for (let i = channels - 1; i < data.length; i += channels) if (data[i] !== 255) return false;
  return true;
}

/** What is seen over a grey background, 0..255: RGB without alpha. */
export function over(background: number, { width, height, channels, data }: Pixels): Pixels {
  if (channels === 3) return { width, height, channels, data };
  const colours = channels < 3 ? 1 : 3;
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0, p = 0; i < rgb.length; i += 3, p += channels) {
    const alpha = channels === colours ? 255 : data[p + colours];
    for (let c = 0; c < 3; c++) {
      const value = data[p + (colours === 1 ? 0 : c)];
      // Rounded as ⌊(2n + 255) / 510⌋, in whole numbers.
      rgb[i + c] = (2 * (value * alpha + background * (255 - alpha)) + 255) / 510;
    }
  }
  return { width, height, channels: 3, data: rgb };
}

/** Number of different colours (alpha included), counted up to `most`, which is given when there are more. */
export function countColours({ channels, data }: Pixels, most: number): number {
  const seen = new Set<number>();
  let last = -1;
  for (let p = 0; p < data.length; p += channels) {
    let colour = 0;
    for (let c = 0; c < channels; c++) colour = colour * 256 + data[p + c];
    if (colour === last) continue;
    last = colour;
    if (seen.add(colour).size > most) return most;
  }
  return seen.size;
}
