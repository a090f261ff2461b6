import type { Dimensions } from '../dimensions';
import { pixelWords, type Pixels } from '../pixels';

/** An image whose pixels refer to colours of a palette. */
export interface IndexedImage extends Dimensions {
  /** RGBA of up to 256 colours, alpha not premultiplied. */
  readonly palette: Uint8Array;
  /** Rows from the top, each a 0 (PNG's filter type None) followed by an index a pixel. */
  readonly rows: Uint8Array;
}

/** Colours in the palette. */
export function colourCount({ palette }: IndexedImage): number {
  return palette.length / 4;
}

/** Returns the pixels as RGBA. */
export function rgbaOf({ width, height, palette, rows }: IndexedImage): Pixels {
  const colours = new Uint32Array(256);
  new Uint8Array(colours.buffer).set(palette);
  const pixels = new Uint32Array(width * height);
  for (let y = 0, to = 0, from = 0; y < height; y++) {
    from++;
    for (let x = 0; x < width; x++) pixels[to++] = colours[rows[from++]];
  }
  return { width, height, channels: 4, data: new Uint8Array(pixels.buffer) };
}

/**
 * Returns RGBA pixels of at most 256 colours as indices into a palette, in the order in which colours first occur.
 * @throws RangeError for more colours
 */
export function indexed({ width, height, data }: Pixels): IndexedImage {
  const pixels = pixelWords(data);
  const found = new Map<number, number>();
  const rows = new Uint8Array((width + 1) * height);
  let [last, index] = [-1, 0];
  for (let y = 0, from = 0, to = 0; y < height; y++) {
    to++;
    for (let x = 0; x < width; x++) {
      const colour = pixels[from++];
      if (colour !== last) {
        index = found.get(colour) ?? found.size;
        if (index > 255) throw new RangeError('The image has more than 256 colours');
        found.set(colour, index);
        last = colour;
      }
      rows[to++] = index;
    }
  }
  return { width, height, palette: new Uint8Array(Uint32Array.from(found.keys()).buffer), rows };
}
