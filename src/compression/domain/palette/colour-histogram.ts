/** The colours of an image and where they are. A palette is chosen for the colours, in a fraction of the time that its pixels take. */
import type { Dimensions } from '../dimensions';
import type { KeptColours } from '../kept-colours';
import { sampleBands } from '../near-lossless/sample-bands';
import { pixelWords, type Pixels } from '../pixels';
import { capsOfRow, type SmoothAreas } from '../smooth-areas';
import { offBlack, readOnBlack } from './ground-difference';
import { HASH_FACTOR, type IndexedImage } from './indexed-image';

export interface Histogram {
  /** RGBA, one row. Where there are too many colours, similar ones count as one. */
  readonly colours: Pixels;
  /** The index of each pixel's colour. */
  readonly ids: Uint16Array;
  /** Pixels of each colour by the cap of their area (see smooth-areas.ts), 0 for areas that are not smooth. */
  readonly counts: Uint32Array;
  readonly isMerged: boolean;
}

/** Each is compared with a palette many times. */
const MOST_COLOURS = 20_000;
const CAPS = 4;
/** Red, green, blue and alpha lose their lowest bits in this order, one at a time, until there are few enough colours. */
const DROPPED = [2, 0, 1, 3];
const ALL = 0xffffffff | 0;
const ALPHA = 0xff000000 | 0;
const TABLE_BITS = 16;

/**
 * Counts the colours of an image in one pass. Above MOST_COLOURS it drops low bits and goes on; the pixels so
 * far are renumbered.
 * @param image RGBA
 * @param areas called once, at the end: they need a pass of their own
 */
export function countColours(image: Pixels, areas: () => SmoothAreas, kept: KeptColours): Histogram {
  const words = pixelWords(image.data);
  // Compared as signed numbers, because V8 boxes larger ones.
  const signed = new Int32Array(words.buffer, words.byteOffset, words.length);
  const ids = new Uint16Array(words.length);
  const bits = new Uint8Array(4).fill(255);
  let found = new Colours(ALL, kept.exact);
  let [word, id] = [0, -1];
  for (let at = 0, step = 0; at < signed.length; at++) {
    if (id < 0 || signed[at] !== word) {
      word = signed[at];
      for (id = found.find(word); id < 0; id = found.find(word)) {
        bits[DROPPED[step++ % DROPPED.length]] <<= 1;
        const fewer = new Colours(pixelWords(bits)[0] | 0, kept.exact);
        const merged = found.list().map((colour) => fewer.find(colour));
        for (let before = 0; before < at; before++) ids[before] = merged[ids[before]];
        found = fewer;
      }
    }
    ids[at] = id;
  }
  const { mask } = found;
  const data = new Uint8Array(found.list().slice().buffer);
  const colours: Pixels = { width: data.length / 4, height: 1, channels: 4, data };
  const isMerged = mask !== ALL;
  const counts = countByCap(image, ids, areas());
  return { ids, colours: isMerged ? meansOf(colours, image.data, ids) : colours, counts, isMerged };
}

/** A hash table of colours that tells apart those that differ in the bits of a mask. */
class Colours {
  private readonly keys = new Int32Array(2 ** TABLE_BITS);
  private readonly table = new Int32Array(2 ** TABLE_BITS).fill(-1);
  private readonly ofKept = new Map<number, number>();
  private readonly words = new Int32Array(MOST_COLOURS);
  private count = 0;

  /** @param mask the bits that tell colours apart */
  constructor(
    readonly mask: number,
    private readonly kept: ReadonlySet<number>,
  ) {}

  /** Returns the number of the colour; -1 if there are too many. Kept, opaque and transparent ones stay apart from similar ones. */
  find(word: number): number {
    const { keys, table, mask } = this;
    const alpha = word & ALPHA;
    if (alpha !== 0 && mask !== ALL && this.kept.has(word >>> 0)) return this.findKept(word);
    // Faint black would have the key of nothing, but for a bit of red: alpha loses one after red.
    const key = alpha === 0 ? 0 : (word & mask) | (alpha === ALPHA ? ALPHA : ~mask & 1);
    let slot = Math.imul(key, HASH_FACTOR) >>> (32 - TABLE_BITS);
    while (table[slot] >= 0 && keys[slot] !== key) slot = (slot + 1) % table.length;
    if (table[slot] < 0) {
      keys[slot] = key;
      table[slot] = this.add(alpha === 0 ? 0 : word);
    }
    return table[slot];
  }

  list(): Int32Array {
    return this.words.subarray(0, this.count);
  }

  private findKept(word: number) {
    const known = this.ofKept.get(word) ?? this.add(word);
    this.ofKept.set(word, known);
    return known;
  }

  private add(word: number) {
    if (this.count === MOST_COLOURS) return -1;
    this.words[this.count] = word;
    return this.count++;
  }
}

/** Replaces the first colour of each group of similar ones by the mean of its pixels, weighted as they are seen. */
function meansOf(colours: Pixels, data: Uint8Array, ids: Uint16Array): Pixels {
  const means = new Float32Array(colours.data.length);
  const sums = new Float64Array(means.length);
  const counts = new Uint32Array(colours.width);
  const pixel = new Float32Array(4);
  const words = pixelWords(data);
  for (let at = 0, end = 0; at < ids.length; at = end) {
    for (end = at + 1; end < ids.length && words[end] === words[at];) end++;
    readOnBlack(data, at * 4, pixel);
    counts[ids[at]] += end - at;
    for (let c = 0; c < 4; c++) sums[ids[at] * 4 + c] += pixel[c] * (end - at);
  }
  for (let i = 0; i < means.length; i++) means[i] = sums[i] / counts[i >> 2];
  return { ...colours, data: offBlack(means) };
}

function countByCap({ width, height }: Pixels, ids: Uint16Array, areas: SmoothAreas): Uint32Array {
  const counts = new Uint32Array(MOST_COLOURS * CAPS);
  const caps = new Uint8Array(width);
  for (let y = 0, at = 0; y < height; y++) {
    capsOfRow(areas, y, caps);
    for (let x = 0; x < width; x++) counts[ids[at++] * CAPS + (caps[x] < CAPS ? caps[x] : 0)]++;
  }
  return counts;
}

/** RGBA colours in one row, and the weight of each: how much its error counts. */
export interface WeighedColours {
  readonly colours: Pixels;
  readonly weights: Float64Array;
}

/** @param byCap weights of pixels by the cap of their area */
export function weigh({ colours, counts }: Histogram, byCap: readonly number[]): WeighedColours {
  const weights = Float64Array.from({ length: colours.width }, (_, i) =>
    byCap.reduce((sum, weight, cap) => sum + weight * counts[i * CAPS + cap], 0),
  );
  return { colours, weights };
}

/** Returns the ids of the pixels that sampleBands returns. */
export function sampleIds({ ids }: Histogram, size: Dimensions, maxPixels: number): Uint16Array {
  const bytes = new Uint8Array(ids.buffer);
  const { data } = sampleBands({ ...size, channels: 2, data: bytes }, maxPixels);
  return new Uint16Array(data.buffer, 0, data.length / 2);
}

const SAMPLE_WIDTH = 512;

export interface ColourSample {
  readonly pixels: Pixels;
  /** The first pixel of each colour. */
  readonly starts: Uint32Array;
}

/** Draws each colour as often as its weight says, but at least once, so that a quantiser sees what the whole image has. */
export function sampleColours({ colours, weights }: WeighedColours, mostPixels: number): ColourSample {
  const words = pixelWords(colours.data);
  const scale = mostPixels / weights.reduce((sum, weight) => sum + weight, 0);
  const order = Uint32Array.from(words.keys()).sort((a, b) => words[a] - words[b]);
  const repeats = Uint32Array.from(weights, (weight) => Math.max(1, Math.round(weight * scale)));
  const drawn = repeats.reduce((sum, count) => sum + count, 0);
  const height = Math.ceil(drawn / SAMPLE_WIDTH);
  const sample = new Uint32Array(SAMPLE_WIDTH * height);
  const starts = new Uint32Array(words.length);
  let at = 0;
  for (const id of order) {
    starts[id] = at;
    sample.fill(words[id], at, (at += repeats[id]));
  }
  sample.fill(words[order[order.length - 1]], at);
  const data = new Uint8Array(sample.buffer);
  return { starts, pixels: { width: SAMPLE_WIDTH, height, channels: 4, data } };
}

/** Returns the colours with the palette that their sample has got. */
export function readSample({ starts }: ColourSample, { width, palette, rows }: IndexedImage): IndexedImage {
  const indices = Uint8Array.from(starts, (start) => rows[start + Math.floor(start / width) + 1]);
  return { width: starts.length, height: 1, palette, rows: Uint8Array.of(0, ...indices) };
}

/** Draws an image whose colours have got a palette. */
export function drawColours(
  { palette, rows: indices }: IndexedImage,
  ids: Uint16Array,
  { width, height }: Dimensions,
): IndexedImage {
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0, at = 0, to = 0; y < height; y++) {
    to++;
    for (const end = at + width; at < end; at++) rows[to++] = indices[ids[at] + 1];
  }
  return { width, height, palette, rows };
}
