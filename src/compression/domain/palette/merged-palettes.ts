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
    const pairs = new Pairs(palette, use, this.isFixed);
    this.errors.push(error / total);
    while (pairs.left.length > fewest) {
      const cheapest = pairs.findCheapest();
      if (!cheapest) return;
      this.errors.push(this.errors[this.mergers.length] + cheapest.cost / total);
      this.mergers.push(pairs.merge(cheapest));
    }
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
}

/** The merger of two colours that costs least at the time: the weighted squared difference that it adds. */
interface Pair {
  readonly entry: number;
  readonly partner: number;
  readonly cost: number;
}

/** The colours that are left, and for each the partner with which its merger costs least. */
class Pairs {
  readonly left: number[];
  private readonly partners: Int32Array;
  private readonly costs: Float64Array;
  /** 1 for colours whose cost is out of date: since their partner changed, it is only a lower bound. */
  private readonly isStale: Uint8Array;

  /**
   * @param palette in the form of onBlack; changes with each merger
   * @param use weight of each colour; changes too
   */
  constructor(
    private readonly palette: Float32Array,
    private readonly use: Float64Array,
    private readonly isFixed: readonly boolean[],
  ) {
    this.left = [...isFixed.keys()];
    this.partners = new Int32Array(isFixed.length);
    this.costs = new Float64Array(isFixed.length);
    this.isStale = new Uint8Array(isFixed.length);
    for (const entry of this.left) this.findPartner(entry);
  }

  /** Returns undefined if no two colours may be merged. */
  findCheapest(): Pair | undefined {
    const { left, costs, partners, isStale } = this;
    for (;;) {
      let entry = left[0];
      for (const other of left) if (costs[other] < costs[entry]) entry = other;
      if (costs[entry] === Infinity) return undefined;
      // A merger makes none with a third colour cheaper, so only the cheapest is ever brought up to date.
      if (isStale[entry] === 0) return { entry, partner: partners[entry], cost: costs[entry] };
      this.findPartner(entry);
    }
  }

  merge({ entry, partner }: Pair): Merger {
    const { left, palette, partners, use, isFixed, isStale } = this;
    const [into, from] = isFixed[partner] ? [partner, entry] : [entry, partner];
    const mean = palette.slice(into * 4, into * 4 + 4);
    const share = isFixed[into] ? 0 : use[from] / (use[into] + use[from]);
    for (let c = 0; c < 4; c++) mean[c] += share * (palette[from * 4 + c] - mean[c]);
    palette.set(mean, into * 4);
    use[into] += use[from];
    left.splice(left.indexOf(from), 1);
    for (const e of left) if (e === into || partners[e] === into || partners[e] === from) isStale[e] = 1;
    return { into, from, mean };
  }

  private findPartner(entry: number) {
    const { left, palette, partners, isStale } = this;
    const isOpaque = palette[entry * 4 + 3] === OPAQUE;
    let least = Infinity;
    for (const other of left) {
      if (other === entry || (palette[other * 4 + 3] === OPAQUE) !== isOpaque) continue;
      const cost = this.weightMoved(entry, other) * squaredDifference(palette, entry * 4, palette, other * 4);
      if (cost < least) [partners[entry], least] = [other, cost];
    }
    this.costs[entry] = least;
    isStale[entry] = 0;
  }

  /** Two colours move to their mean, one moves to a fixed colour, and two fixed ones cannot be merged. */
  private weightMoved(a: number, b: number) {
    const { use, isFixed } = this;
    if (isFixed[a]) return isFixed[b] ? Infinity : use[b];
    return isFixed[b] ? use[a] : (use[a] / (use[a] + use[b])) * use[b];
  }
}
