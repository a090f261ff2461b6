/**
 * The quantisation tables that JPEG encoders write, and how coarsely a quality quantises. Quality scales a table of
 * divisors (libjpeg, jcparam.c, jpeg_quality_scaling) and rounds them to whole numbers: over a few qualities the
 * divisors that count stay the same, and so do loss and size, then they jump.
 */

/** MozJPEG's default table (its number 3, by N. Robidoux) at quality 50, in zigzag order; both engines code with it. */
export const OUR_DIVISORS: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43, 40, 43, 40,
  56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106, 135, 156, 131, 124,
  131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/** ITU-T T.81 table K.1 at quality 50, in zigzag order; used by libjpeg and most software. */
export const STANDARD_DIVISORS: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/** The low frequencies, in which nearly all of a photo lies: the first diagonals of the zigzag. */
export const LOW_FREQUENCIES = 21;

/** A table of quality 50 at another quality, 1..100. */
export function scaledTable(divisors: readonly number[], quality: number): number[] {
  return divisors.map((divisor) => scaledDivisor(divisor, quality));
}

export function scaledDivisor(divisor: number, quality: number): number {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2;
  return Math.min(255, Math.max(1, Math.floor((divisor * percent + 50) / 100)));
}

const LOG_STEPS = Array.from({ length: 101 }, (_, quality) => {
  const low = scaledTable(OUR_DIVISORS.slice(0, LOW_FREQUENCIES), Math.max(1, quality));
  return low.reduce((sum, divisor) => sum + Math.log(divisor), 0) / LOW_FREQUENCIES;
});

/** Mean logarithm of the divisors of the low frequencies; falls with quality, in stairs. */
export function logStep(quality: number): number {
  return LOG_STEPS[quality];
}
