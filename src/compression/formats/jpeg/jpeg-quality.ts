/**
 * Estimates the quality setting that a JPEG was saved with, from its quantisation table: the 1..100 scale of
 * libjpeg (jcparam.c, jpeg_quality_scaling), whose base table is scaled linearly and clamped.
 */
import { LOW_FREQUENCIES, OUR_DIVISORS, scaledDivisor } from '../../domain/quantiser-step';
import type { SavedQuality } from '../../domain/spent-quality';

/** ITU-T T.81 table K.1 at quality 50, in zigzag order; used by libjpeg and most software. */
const ANNEX_K: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/**
 * The quality, 1..100, whose scaled table lies nearest to the given one (smallest sum of differences).
 * @param lumaDivisors 64 divisors in zigzag order.
 */
export function estimateQuality(lumaDivisors: readonly number[]): number {
  let best = { quality: 100, distance: Infinity };
  for (const base of [ANNEX_K, OUR_DIVISORS]) {
    for (let quality = 100; quality >= 1; quality--) {
      const distance = base.reduce(
        (sum, divisor, i) => sum + Math.abs(scaledDivisor(divisor, quality) - lumaDivisors[i]),
        0,
      );
      if (distance < best.distance) best = { quality, distance };
    }
  }
  return best.quality;
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
    const distance = Math.abs(sum(OUR_DIVISORS.map((divisor) => scaledDivisor(divisor, quality))) - wanted);
    if (distance < best.distance) best = { quality, distance };
  }
  const isOurTable = OUR_DIVISORS.every(
    (divisor, i) => scaledDivisor(divisor, best.quality) === lumaDivisors[i],
  );
  return { quality: best.quality, isOurTable };
}
