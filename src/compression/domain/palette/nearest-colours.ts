/** Finds palette colours by squaredDifference, outward from the nearest green, which counts most. */
import { squaredDifference } from './ground-difference';

const OPAQUE = 255;
const FAR = 1e9;

/** The palette colours that suit some alpha, by their green. */
interface Row {
  readonly entries: readonly number[];
  readonly greens: Float32Array;
  /** The least difference between colours whose green differs by 1. */
  readonly perGreen: number;
}

export class NearestColours {
  /** The palette colour that the last call of find() found; the first of equally near ones, 0 if none suits. */
  nearest = 0;
  /** Differences to the nearest and to the second nearest palette colour. */
  least = FAR;
  second = FAR;
  private readonly opaque: Row;
  private readonly visible: Row;
  private readonly hidden: Row;

  /** @param palette in the form of onBlack */
  constructor(private readonly palette: Float32Array) {
    // Both backgrounds show the same difference of opaque colours.
    this.opaque = this.selectColours((alpha) => alpha === OPAQUE, 8);
    this.visible = this.selectColours((alpha) => alpha > 0, 4);
    this.hidden = this.selectColours((alpha) => alpha === 0, 4);
  }

  /** @param alpha of the pixel: opaque ones need opaque colours, transparent ones transparent colours */
  find(colours: Float32Array, at: number, alpha: number): void {
    const { entries, greens, perGreen } =
      alpha === OPAQUE ? this.opaque : alpha > 0 ? this.visible : this.hidden;
    const { palette } = this;
    const green = colours[at + 1];
    let [nearest, least, second] = [0, FAR, FAR];
    let above = firstAbove(greens, green);
    let below = above - 1;
    while (below >= 0 || above < greens.length) {
      const down = below >= 0 ? green - greens[below] : FAR;
      const up = above < greens.length ? greens[above] - green : FAR;
      const step = down < up ? down : up;
      if (perGreen * step * step > second) break;
      const entry = entries[down < up ? below-- : above++];
      const difference = squaredDifference(colours, at, palette, entry * 4);
      if (difference > second) continue;
      if (difference < least || (difference === least && entry < nearest)) {
        nearest = entry;
        second = least;
        least = difference;
      } else {
        second = difference;
      }
    }
    this.nearest = nearest;
    this.least = least;
    this.second = second;
  }

  private selectColours(suits: (alpha: number) => boolean, perGreen: number): Row {
    const { palette } = this;
    const entries = Array.from({ length: palette.length / 4 }, (_, entry) => entry)
      .filter((entry) => suits(palette[entry * 4 + 3]))
      .sort((a, b) => palette[a * 4 + 1] - palette[b * 4 + 1]);
    return { entries, greens: Float32Array.from(entries, (entry) => palette[entry * 4 + 1]), perGreen };
  }
}

function firstAbove(sorted: Float32Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
