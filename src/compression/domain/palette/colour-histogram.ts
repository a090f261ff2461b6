/** Counts the weighted pixels of each colour. */
import { pixelWords, type Pixels } from '../pixels';
import type { SmoothAreas } from '../smooth-areas';
import { onBlack } from './ground-difference';

const BLOCK_PX = 8;

export interface Histogram {
  /** Each colour once, in the form of onBlack. */
  readonly colours: Float32Array;
  readonly weights: Float64Array;
  /** The index of each pixel's colour. */
  readonly ids: Uint16Array;
}

/** Largest number of colours; each is compared with a palette many times. */
const MOST_COLOURS = 20_000;

/**
 * Returns undefined if there are more than MOST_COLOURS.
 * @param image RGBA; all colours with an alpha of 0 count as one
 * @param weights of pixels in smooth areas, by their cap (see smooth-areas.ts); all others weigh 1
 */
export function histogramOf(
  { width, data }: Pixels,
  areas: SmoothAreas,
  weights: readonly number[],
): Histogram | undefined {
  const words = pixelWords(data);
  const numbers = new Map<number, number>();
  const sums: number[] = [];
  const ids = new Uint16Array(words.length);
  for (let at = 0; at < words.length; at++) {
    const word = data[at * 4 + 3] === 0 ? 0 : words[at];
    let id = numbers.get(word);
    if (id === undefined) {
      if (sums.length === MOST_COLOURS) return undefined;
      id = sums.push(0) - 1;
      numbers.set(word, id);
    }
    const row = Math.floor(at / width);
    const block = Math.floor(row / BLOCK_PX) * areas.blocksPerRow + Math.floor((at - row * width) / BLOCK_PX);
    sums[id] += weights[areas.caps[block]] ?? 1;
    ids[at] = id;
  }
  const rgba = new Uint8Array(Uint32Array.from(numbers.keys()).buffer);
  return { colours: onBlack(rgba), weights: Float64Array.from(sums), ids };
}
