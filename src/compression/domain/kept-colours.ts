/**
 * Finds the colours that a lossy PNG keeps exactly, because people compare them with other images: black,
 * white, the primaries, and those of large flat areas. Also finds the colour to store under an alpha of 0,
 * which a page may show by scaling the image.
 */
import { once } from './once';
import { pixelWords, type Pixels } from './pixels';
import { findSmoothAreas, type SmoothAreas } from './smooth-areas';

/** A colour is large if this share of the pixels have it and equal the pixels to their left and above. */
const LARGE_SHARE = 0.005;
/** At most this many, the largest first: a palette has to have room for others. */
const MOST_LARGE = 64;
/** The hidden colour is the upload's own if at least this share of the transparent pixels have it. */
const OWN_SHARE = 0.5;
/** Selects the lowest bit of each byte of a pixel. */
const LOWEST_BITS = 0x01010101;
const [ALPHA] = pixelWords(Uint8Array.of(0, 0, 0, 255));

export interface KeptColours {
  /** Colours that do not change; as in pixelWords. */
  readonly exact: ReadonlySet<number>;
  /** RGB of transparent pixels, with an alpha of 0: the upload's own or, if those differ, the colour of the pixels beside them. */
  readonly hidden: number;
  /** Whether all transparent pixels have one colour, so that keeping it costs nothing. */
  readonly isHiddenPlain: boolean;
}

/** Pixels of 1 to 4 channels, some of which must not change. */
export interface FixedPixels extends Pixels {
  /** 1 for each pixel that must not change. */
  readonly isFixed?: Uint8Array;
  /** The smooth areas, found once for all codings; absent for pixels that are coded once. */
  readonly smooth?: () => SmoothAreas;
}

/** Marks kept colours, and transparent pixels if they have one colour; otherwise only those that start a row. */
export function withFixed(image: Pixels, { exact, isHiddenPlain }: KeptColours): FixedPixels {
  const { width, channels, data } = image;
  const isFixed = new Uint8Array(width * image.height);
  const rgba = new Uint8Array(4).fill(255);
  const word = new Int32Array(rgba.buffer);
  const green = channels < 3 ? 0 : 1;
  let [before, isKept] = [0, false];
  for (let at = 0, from = 0; at < isFixed.length; at++, from += channels) {
    rgba[0] = data[from];
    rgba[1] = data[from + green];
    rgba[2] = data[from + 2 * green];
    if (channels % 2 === 0) rgba[3] = data[from + channels - 1];
    // Once for each run, because set look-ups are slow.
    if (at === 0 || word[0] !== before) {
      before = word[0];
      isKept = rgba[3] === 0 ? isHiddenPlain : exact.has(before >>> 0);
    }
    if (isKept || (rgba[3] === 0 && at % width === 0)) isFixed[at] = 1;
  }
  return { ...image, isFixed, smooth: once(() => findSmoothAreas(image)) };
}

/** @param image RGBA */
export function findKeptColours(image: Pixels): KeptColours {
  const { width, data } = image;
  const words = pixelWords(data);
  // Compared as signed numbers, because V8 boxes larger ones.
  const signed = new Int32Array(words.buffer, words.byteOffset, words.length);
  const flat = new Map<number, number>();
  const hidden = new Map<number, number>();
  const exact = new Set<number>();
  let before = -1;
  let isBeforeHidden = false;
  let count = 0;
  for (let at = 0; at < signed.length; at++) {
    if (at > 0 && signed[at] === signed[at - 1]) {
      if (isBeforeHidden || (at >= width && signed[at] === signed[at - width])) count++;
      continue;
    }
    // Counts runs, because map look-ups are slow.
    if (count > 0) add(isBeforeHidden ? hidden : flat, before, count);
    before = words[at];
    isBeforeHidden = isHidden(before);
    count = isBeforeHidden ? 1 : 0;
    if (isPure(before)) exact.add(before);
  }
  if (count > 0) add(isBeforeHidden ? hidden : flat, before, count);
  const large = [...flat].filter(([, count]) => count >= words.length * LARGE_SHARE).sort(byCount);
  for (const [word] of large.slice(0, MOST_LARGE)) exact.add(word);
  return { exact, ...hiddenColour(image, words, [...hidden].sort(byCount)) };
}

function add(counts: Map<number, number>, word: number, count: number) {
  counts.set(word, (counts.get(word) ?? 0) + count);
}

const byCount = ([, a]: readonly [number, number], [, b]: readonly [number, number]) => b - a;

function isHidden(word: number) {
  return (word & ALPHA) === 0;
}

/** Whether every byte of a visible colour is 0 or 255: black, white and the primaries. */
function isPure(word: number) {
  return !isHidden(word) && Math.imul((word >>> 7) & LOWEST_BITS, 255) >>> 0 === word;
}

function hiddenColour(
  image: Pixels,
  words: Uint32Array,
  found: readonly (readonly [number, number])[],
): Pick<KeptColours, 'hidden' | 'isHiddenPlain'> {
  if (found.length === 0) return { hidden: 0, isHiddenPlain: true };
  const [[own, count]] = found;
  const all = found.reduce((sum, [, one]) => sum + one, 0);
  const hidden = count >= all * OWN_SHARE ? own : colourBesideHidden(image, words.length);
  return { hidden, isHiddenPlain: found.length === 1 };
}

/**
 * Returns the mean colour of visible pixels beside transparent ones, weighted by alpha: scaling then makes no
 * fringe.
 */
function colourBesideHidden({ width, data }: Pixels, count: number) {
  const sums = [0, 0, 0, 0];
  for (let at = 0; at < count; at++) {
    const alpha = data[at * 4 + 3];
    const x = at % width;
    const beside = [at - width, at + width, x > 0 ? at - 1 : at, x < width - 1 ? at + 1 : at];
    const isBeside = beside.some((other) => data[other * 4 + 3] === 0);
    if (alpha === 0 || !isBeside) continue;
    for (let c = 0; c < 3; c++) sums[c] += alpha * data[at * 4 + c];
    sums[3] += alpha;
  }
  const mean = Uint8Array.from(sums, (sum, c) => (c < 3 && sums[3] > 0 ? Math.round(sum / sums[3]) : 0));
  return pixelWords(mean)[0];
}
