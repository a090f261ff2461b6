/** Restores exact alpha of 0 and 255, and kept colours, which a quantiser averages with others. */
import type { KeptColours } from '../kept-colours';
import { pixelWords, type Pixels } from '../pixels';
import { onBlack, squaredDifference } from './ground-difference';
import { MAX_COLOURS, type IndexedImage } from './indexed-image';

const OPAQUE = 255;
/** Two for each index, one for each kept colour, and one for transparency. */
const MOST_GROUPS = 1024;
/** Largest difference between two colours that may replace each other: see squaredDifference. */
const CLOSE = 14 * 6 ** 2;

interface Group {
  readonly colour: Uint8Array;
  readonly isKept: boolean;
  /** The index of the first pixel. */
  readonly from: number;
  readonly isOpaquer: boolean;
}

interface CountedGroup extends Group {
  readonly count: number;
  /** The colour in the form of onBlack. */
  readonly seen: Float32Array;
}

/**
 * The palette may grow to 256 colours; once it is full, pixels of rare colours get the nearest other one.
 * @param weights of the pixels; 1 by default
 */
export function withExactColours(
  image: IndexedImage,
  source: Pixels,
  kept: KeptColours,
  weights?: Float64Array,
): IndexedImage {
  const { width, height, rows: merged } = image;
  const { data } = source;
  const grouping = new Grouping(image, kept);
  const words = pixelWords(data);
  const members = new Uint16Array(words.length);
  const counts = new Float64Array(MOST_GROUPS);
  let [word, index, number] = [0, -1, -1];
  for (let y = 0, at = 0; y < height; y++) {
    const ahead = y + 1;
    for (const end = at + width; at < end; at++) {
      const [here, of] = [words[at], merged[at + ahead]];
      if (here !== word || of !== index) {
        word = here;
        index = of;
        number = grouping.assignGroup(here, data[at * 4 + 3], index);
      }
      members[at] = number;
      counts[number] += weights ? weights[at] : 1;
    }
  }
  const { palette, indices } = buildPalette(
    grouping.groups.map((group, i) => ({ ...group, count: counts[i], seen: onBlack(group.colour) })),
  );
  const rows = new Uint8Array(merged.length);
  for (let y = 0, at = 0; y < height; y++) {
    const ahead = y + 1;
    for (const end = at + width; at < end; at++) rows[at + ahead] = indices[members[at]];
  }
  return { ...image, palette, rows };
}

class Grouping {
  readonly groups: Group[] = [];
  private readonly ofKept = new Map<number, number>();
  private readonly ofMerged = new Int16Array(MAX_COLOURS * 2).fill(-1);

  constructor(
    private readonly image: IndexedImage,
    private readonly kept: KeptColours,
  ) {}

  assignGroup(word: number, alpha: number, index: number): number {
    const merged = this.image.palette[index * 4 + 3];
    if (alpha === 0) return this.assignKeptGroup(this.kept.hidden, index);
    if (this.kept.exact.has(word)) return this.assignKeptGroup(word, index);
    if (alpha < OPAQUE && merged === 0) return this.assignKeptGroup(this.kept.hidden, index);
    const isOpaque = alpha === OPAQUE || merged === OPAQUE;
    const key = index * 2 + (isOpaque ? 1 : 0);
    if (this.ofMerged[key] < 0) {
      const colour = this.image.palette.slice(index * 4, index * 4 + 4);
      const isOpaquer = isOpaque && merged !== OPAQUE;
      if (isOpaque) colour[3] = OPAQUE;
      this.ofMerged[key] = this.groups.push({ colour, isKept: false, from: index, isOpaquer }) - 1;
    }
    return this.ofMerged[key];
  }

  private assignKeptGroup(word: number, from: number): number {
    const known = this.ofKept.get(word);
    if (known !== undefined) return known;
    const colour = new Uint8Array(Uint32Array.of(word).buffer);
    const number = this.groups.push({ colour, isKept: true, from, isOpaquer: false }) - 1;
    this.ofKept.set(word, number);
    return number;
  }
}

function buildPalette(groups: readonly CountedGroup[]): {
  readonly palette: Uint8Array;
  readonly indices: Uint8Array;
} {
  const byCount = [...groups].sort((a, b) => b.count - a.count);
  // If there are opaque pixels, at least one opaque colour.
  const largestOpaque = byCount.find(({ colour }) => colour[3] === OPAQUE);
  const rank = (group: CountedGroup) => (group.isKept ? 2 : group === largestOpaque ? 1 : 0);
  const visiblyKept = new Set(
    groups.flatMap(({ isKept, colour, from }) => (isKept && colour[3] > 0 ? [from] : [])),
  );
  const found: CountedGroup[] = [];
  for (const group of byCount.sort((a, b) => rank(b) - rank(a))) {
    // Split off from a merged colour, so it may resemble one that is already there.
    const isParted = group.isOpaquer || visiblyKept.has(group.from);
    const twin = group.isKept || !isParted ? undefined : findNearest(found, group);
    if (!twin || difference(twin, group) > CLOSE) found.push(group);
  }
  const shown = withoutCheapest(found, (group) => rank(group) > 0);
  shown.sort((a, b) => a.from - b.from);
  const places = new Map(shown.map((group, place) => [group, place]));
  const findPlace = (group: CountedGroup | undefined) => group && places.get(group);
  return {
    palette: Uint8Array.from(shown.flatMap(({ colour }) => [...colour])),
    indices: Uint8Array.from(
      groups,
      (group) => findPlace(group) ?? findPlace(findNearest(shown, group)) ?? 0,
    ),
  };
}

/** Leaves out groups beyond 256: those whose pixels differ least from the nearest other colour, in total. */
function withoutCheapest(
  groups: readonly CountedGroup[],
  isFixed: (group: CountedGroup) => boolean,
): CountedGroup[] {
  const left = [...groups];
  const twins = new Map<CountedGroup, CountedGroup | undefined>();
  while (left.length > MAX_COLOURS) {
    let [cheapest, least] = [-1, Infinity];
    left.forEach((group, i) => {
      if (isFixed(group)) return;
      const known = twins.get(group);
      const twin = known && left.includes(known) ? known : findNearest(left, group);
      twins.set(group, twin);
      const cost = twin ? group.count * difference(group, twin) : Infinity;
      if (cost < least) [cheapest, least] = [i, cost];
    });
    left.splice(cheapest, 1);
  }
  return left;
}

function findNearest(shown: readonly CountedGroup[], group: CountedGroup): CountedGroup | undefined {
  let [nearest, least]: [CountedGroup | undefined, number] = [undefined, Infinity];
  for (const other of shown) {
    if (other === group) continue;
    const isAlike = group.colour[3] === OPAQUE ? other.colour[3] === OPAQUE : other.colour[3] > 0;
    const distance = isAlike ? difference(group, other) : Infinity;
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}

function difference(a: CountedGroup, b: CountedGroup): number {
  return squaredDifference(a.seen, 0, b.seen, 0);
}
