/** Palettes of fewer and fewer colours: the pair whose merger costs least is merged (pairwise nearest neighbour, W. Equitz, 1989). */
import type { KeptColours } from '../kept-colours';
import { pixelWords } from '../pixels';
import type { WeighedColours } from './colour-histogram';
import { offBlack, onBlack, squaredDifference } from './ground-difference';

const OPAQUE = 255;

interface Merger {
  readonly into: number;
  readonly from: number;
  /** In the form of onBlack. */
  readonly mean: Float32Array;
}

export interface Palette {
  /** RGBA. */
  readonly palette: Uint8Array;
  /** The palette entry of each colour. */
  readonly entries: ArrayLike<number>;
}

export class MergedPalettes {
  readonly most: number;
  private readonly full: Uint8Array;
  /** Do not change: kept colours and transparent ones. */
  private readonly isFixed: readonly boolean[];
  private readonly mergers: Merger[] = [];
  private readonly errors: number[] = [];

  /** @param fewest the number of colours to merge down to, if possible */
  constructor(
    { palette: full, entries }: Palette,
    { colours, weights }: WeighedColours,
    kept: KeptColours,
    fewest = 1,
  ) {
    const palette = onBlack(full);
    const shown = onBlack(colours.data);
    this.full = full;
    this.most = full.length / 4;
    this.isFixed = Array.from(pixelWords(full), (word) => word >>> 24 === 0 || kept.exact.has(word));
    const use = new Float64Array(this.most);
    let [error, total] = [0, 0];
    weights.forEach((weight, i) => {
      use[entries[i]] += weight;
      total += weight;
      error += weight * squaredDifference(shown, i * 4, palette, entries[i] * 4);
    });
    this.merge(palette, use, error / total, total, fewest);
  }

  get least(): number {
    return this.most - this.mergers.length;
  }

  /** The mean squaredDifference of the colours from a palette of `count` colours. */
  errorOf(count: number): number {
    return this.errors[this.most - count] ?? Infinity;
  }

  paletteOf(count: number): Uint8Array {
    const palette = onBlack(this.full);
    const left = new Set(this.isFixed.keys());
    for (const { into, from, mean } of this.mergers.slice(0, this.most - count)) {
      palette.set(mean, into * 4);
      left.delete(from);
    }
    const rounded = offBlack(palette);
    const colours = [...left].map((e) => (this.isFixed[e] ? this.full : rounded).subarray(e * 4, e * 4 + 4));
    return Uint8Array.from(colours.flatMap((colour) => [...colour]));
  }

  /**
   * @param use weight of each palette colour
   * @param error of the full palette
   */
  private merge(
    palette: Float32Array,
    use: Float64Array,
    error: number,
    total: number,
    fewest: number,
  ): void {
    const { errors, mergers, isFixed } = this;
    const left = [...isFixed.keys()];
    const partners = new Int32Array(this.most);
    const costs = new Float64Array(this.most);
    const findPartner = (entry: number) => {
      costs[entry] = Infinity;
      for (const other of left) {
        const isAlike = (palette[entry * 4 + 3] === OPAQUE) === (palette[other * 4 + 3] === OPAQUE);
        if (other === entry || !isAlike || (isFixed[entry] && isFixed[other])) continue;
        const share = isFixed[entry] ? 1 : isFixed[other] ? 0 : use[entry] / (use[entry] + use[other]);
        const moved = share * use[other] + (isFixed[other] ? use[entry] : 0);
        const cost = moved * squaredDifference(palette, entry * 4, palette, other * 4);
        if (cost < costs[entry]) [partners[entry], costs[entry]] = [other, cost];
      }
    };
    left.forEach(findPartner);
    // A merger makes none with a third colour cheaper, so former costs are lower bounds.
    const isStale = new Uint8Array(this.most);
    errors.push(error);
    while (left.length > fewest) {
      let cheapest = left[0];
      for (const entry of left) if (costs[entry] < costs[cheapest]) cheapest = entry;
      if (costs[cheapest] === Infinity) return;
      if (isStale[cheapest] > 0) {
        isStale[cheapest] = 0;
        findPartner(cheapest);
        continue;
      }
      errors.push(errors[errors.length - 1] + costs[cheapest] / total);
      const partner = partners[cheapest];
      const [into, from] = isFixed[partner] ? [partner, cheapest] : [cheapest, partner];
      const mean = palette.slice(into * 4, into * 4 + 4);
      const share = isFixed[into] ? 0 : use[from] / (use[into] + use[from]);
      for (let c = 0; c < 4; c++) mean[c] += share * (palette[from * 4 + c] - mean[c]);
      mergers.push({ into, from, mean });
      palette.set(mean, into * 4);
      use[into] += use[from];
      left.splice(left.indexOf(from), 1);
      for (const e of left) if (e === into || partners[e] === into || partners[e] === from) isStale[e] = 1;
    }
  }
}
