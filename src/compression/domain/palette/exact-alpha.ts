/** Keeps what is opaque opaque, and what is transparent transparent, when a quantiser has merged colours. */
import type { Pixels } from '../pixels';
import type { IndexedImage } from './indexed-image';

const OPAQUE = 255;
const MAX_COLOURS = 256;
/** Squared difference of two colours that may stand for each other here. */
const CLOSE = 3 * 6 ** 2;

/**
 * Returns the image with opaque pixels in opaque colours, and transparent ones in a transparent colour. A quantiser takes the
 * mean alpha of the pixels that it merges, which would let the background show faintly. The palette may grow up to 256 colours; where
 * it is full and has no close colour, pixels keep the one that they have.
 * @param source RGBA of the same size
 */
export function withExactAlpha(image: IndexedImage, source: Pixels): IndexedImage {
  const { width, height } = image;
  const palette = new GrowingPalette(image.palette);
  const rows = Uint8Array.from(image.rows);
  for (let y = 0, at = 0, alpha = 3; y < height; y++) {
    at++;
    for (let x = 0; x < width; x++, at++, alpha += 4) {
      const wanted = source.data[alpha];
      if ((wanted === OPAQUE || wanted === 0) && palette.alphaOf(rows[at]) !== wanted)
        rows[at] = palette.twinOf(rows[at], wanted);
    }
  }
  return { ...image, palette: palette.bytes(), rows };
}

class GrowingPalette {
  private readonly colours = new Uint8Array(MAX_COLOURS * 4);
  private count: number;
  /** By index and alpha. */
  private readonly twins = new Map<number, number>();

  constructor(palette: Uint8Array) {
    this.colours.set(palette);
    this.count = palette.length / 4;
  }

  alphaOf(index: number): number {
    return this.colours[index * 4 + 3];
  }

  bytes(): Uint8Array {
    return this.colours.slice(0, this.count * 4);
  }

  /** Returns a colour like another, with this alpha: a close one or a new one, or itself if there is no room. */
  twinOf(index: number, alpha: number): number {
    const key = index * MAX_COLOURS + alpha;
    const known = this.twins.get(key) ?? this.findTwin(index, alpha);
    this.twins.set(key, known);
    return known;
  }

  private findTwin(index: number, alpha: number): number {
    let [nearest, least] = [index, Infinity];
    for (let other = 0; other < this.count; other++) {
      const distance = alpha === 0 ? 0 : this.distance(index, other);
      if (this.alphaOf(other) === alpha && distance < least) [nearest, least] = [other, distance];
    }
    if (least <= CLOSE) return nearest;
    if (this.count === MAX_COLOURS) return index;
    this.colours.copyWithin(this.count * 4, index * 4, index * 4 + 4);
    this.colours[this.count * 4 + 3] = alpha;
    return this.count++;
  }

  private distance(a: number, b: number): number {
    const difference = (channel: number) => this.colours[a * 4 + channel] - this.colours[b * 4 + channel];
    return difference(0) ** 2 + difference(1) ** 2 + difference(2) ** 2;
  }
}
