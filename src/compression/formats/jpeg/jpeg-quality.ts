/**
 * Estimates the quality setting that a JPEG was saved with, from its quantisation table: the 1..100 scale of
 * libjpeg (jcparam.c, jpeg_quality_scaling), whose base table is scaled linearly and clamped.
 */

import type { SavedQuality } from '../../domain/spent-quality';

/** ITU-T T.81 table K.1 at quality 50, in zigzag order; used by libjpeg and most software. */
const ANNEX_K: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/** MozJPEG's default (its table 3, by N. Robidoux), used by this service's own encoders. */
const MOZJPEG: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43, 40, 43, 40,
  56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106, 135, 156, 131, 124,
  131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/**
 * The quality, 1..100, whose scaled table lies nearest to the given one (smallest sum of differences).
 * @param lumaDivisors 64 divisors in zigzag order.
 */
export function estimateQuality(lumaDivisors: readonly number[]): number {
  let best = { quality: 100, distance: Infinity };
  for (const base of [ANNEX_K, MOZJPEG]) {
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

/** The low frequencies, in which nearly all of a photo lies: the first diagonals of the zigzag. */
const LOW_FREQUENCIES = 21;

/**
 * The quality at which our own encoder quantises as coarsely, by the sum of the divisors of the low frequencies.
 * @param lumaDivisors 64 divisors in zigzag order.
 */
export function savedQuality(lumaDivisors: readonly number[]): SavedQuality {
  const sum = (divisors: readonly number[]) => divisors.slice(0, LOW_FREQUENCIES).reduce((a, b) => a + b, 0);
  const wanted = sum(lumaDivisors);
  let best = { quality: 100, distance: Infinity };
  for (let quality = 100; quality >= 1; quality--) {
    const distance = Math.abs(sum(MOZJPEG.map((divisor) => scaledDivisor(divisor, quality))) - wanted);
    if (distance < best.distance) best = { quality, distance };
  }
  const isOurTable = MOZJPEG.every((divisor, i) => scaledDivisor(divisor, best.quality) === lumaDivisors[i]);
  return { quality: best.quality, isOurTable };
}

function scaledDivisor(divisor: number, quality: number): number {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2;
  return Math.min(255, Math.max(1, Math.floor((divisor * percent + 50) / 100)));
}
