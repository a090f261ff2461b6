/** How a JPEG was saved, by its quantisation table. */
import { LOW_FREQUENCIES, OUR_DIVISORS, scaledTable, STANDARD_DIVISORS } from '../search/quantiser-table';

/**
 * The quality, 1..100, whose scaled table lies nearest to the given one (smallest sum of differences).
 * @param lumaDivisors 64 divisors in zigzag order.
 */
export function estimateQuality(lumaDivisors: readonly number[]): number {
  let best = { quality: 100, distance: Infinity };
  for (const base of [STANDARD_DIVISORS, OUR_DIVISORS]) {
    for (let quality = 100; quality >= 1; quality--) {
      const table = scaledTable(base, quality);
      const distance = table.reduce((sum, divisor, i) => sum + Math.abs(divisor - lumaDivisors[i]), 0);
      if (distance < best.distance) best = { quality, distance };
    }
  }
  return best.quality;
}

/** What a file tells about how it was saved. */
export interface SavedQuality {
  /** On the scale of our own encoder, 1..100. */
  readonly quality: number;
  /** Its quantisation table is exactly that of our own encoder at this quality. */
  readonly isOurTable: boolean;
}

/**
 * The quality at which our own encoder quantises as coarsely, by the sum of the divisors of the low frequencies.
 * @param lumaDivisors 64 divisors in zigzag order.
 */
export function savedQuality(lumaDivisors: readonly number[]): SavedQuality {
  const sum = (divisors: readonly number[]) => divisors.slice(0, LOW_FREQUENCIES).reduce((a, b) => a + b, 0);
  const wanted = sum(lumaDivisors);
  let best = { quality: 100, distance: Infinity };
  for (let quality = 100; quality >= 1; quality--) {
    const distance = Math.abs(sum(scaledTable(OUR_DIVISORS, quality)) - wanted);
    if (distance < best.distance) best = { quality, distance };
  }
  const ours = scaledTable(OUR_DIVISORS, best.quality);
  const isOurTable = ours.every((divisor, i) => divisor === lumaDivisors[i]);
  return { quality: best.quality, isOurTable };
}
