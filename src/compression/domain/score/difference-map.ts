/** How far two images of the same size differ, pixel by pixel, gathered in strips of rows. The page imports this file alone. */

/** Side of the squares among which the worst is looked for: about the area that an eye takes in at once. */
export const BLOCK_PX = 32;
/** Invisible differences become visible when they are this many times as strong. */
export const AMPLIFICATION = 10;

export interface WorstSpot {
  /** Of the upper left corner, in pixels of the image, as is `y`. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Mean over the pixels of the square of each pixel's largest channel difference, 0..255. */
  readonly mean: number;
  /** The largest channel difference in the square, 0..255. */
  readonly most: number;
}

type Samples = Uint8Array | Uint8ClampedArray;

/** Takes in both images strip by strip, so that a page can compare images that it cannot hold twice. */
export class DifferenceMap {
  private readonly columns: number;
  private readonly squares: Float64Array;
  private readonly sums: Float64Array;
  private readonly most: Uint8Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.columns = Math.ceil(width / BLOCK_PX);
    const blocks = this.columns * Math.ceil(height / BLOCK_PX);
    this.squares = new Float64Array(blocks);
    this.sums = new Float64Array(blocks);
    this.most = new Uint8Array(blocks);
  }

  /** Takes in a strip of opaque RGBA rows from row `top` on; writes the differences to `drawn`, amplified. */
  add(before: Samples, after: Samples, top: number, drawn: Uint8ClampedArray): void {
    const rows = Math.min(this.height - top, before.length / 4 / this.width);
    for (let row = 0, at = 0; row < rows; row++) {
      const firstBlock = Math.floor((top + row) / BLOCK_PX) * this.columns;
      for (let x = 0; x < this.width; x++, at += 4) {
        let most = 0;
        for (let channel = 0; channel < 3; channel++) {
          const difference = Math.abs((before[at + channel] ?? 0) - (after[at + channel] ?? 0));
          drawn[at + channel] = difference * AMPLIFICATION;
          if (difference > most) most = difference;
        }
        drawn[at + 3] = 255;
        if (most > 0) this.count(firstBlock + Math.floor(x / BLOCK_PX), most);
      }
    }
  }

  /** Returns the square with the largest sum of squared differences; undefined if no pixel differs. */
  worst(): WorstSpot | undefined {
    const index = this.squares.reduce((best, value, i) => (value > (this.squares[best] ?? 0) ? i : best), 0);
    if (!this.squares[index]) return undefined;
    const [x, y] = [(index % this.columns) * BLOCK_PX, Math.floor(index / this.columns) * BLOCK_PX];
    const [width, height] = [Math.min(BLOCK_PX, this.width - x), Math.min(BLOCK_PX, this.height - y)];
    const mean = (this.sums[index] ?? 0) / (width * height);
    return { x, y, width, height, mean, most: this.most[index] ?? 0 };
  }

  private count(block: number, difference: number) {
    this.squares[block] = (this.squares[block] ?? 0) + difference * difference;
    this.sums[block] = (this.sums[block] ?? 0) + difference;
    this.most[block] = Math.max(this.most[block] ?? 0, difference);
  }
}
