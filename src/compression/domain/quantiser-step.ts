/**
 * How coarsely a JPEG quality quantises. Quality scales a table of divisors (libjpeg, jcparam.c,
 * jpeg_quality_scaling) and rounds them to whole numbers: over a few qualities the divisors that count stay the same,
 * and so do loss and size, then they jump.
 */

/** MozJPEG's default table (its number 3, by N. Robidoux) at quality 50, in zigzag order; both engines code with it. */
export const OUR_DIVISORS: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43, 40, 43, 40,
  56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106, 135, 156, 131, 124,
  131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/** The low frequencies, in which nearly all of a photo lies: the first diagonals of the zigzag. */
export const LOW_FREQUENCIES = 21;

/** A divisor of quality 50 at another quality, 1..100. */
export function scaledDivisor(divisor: number, quality: number): number {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2;
  return Math.min(255, Math.max(1, Math.floor((divisor * percent + 50) / 100)));
}

const LOG_STEPS = Array.from({ length: 101 }, (_, quality) => {
  const low = OUR_DIVISORS.slice(0, LOW_FREQUENCIES);
  const logs = low.map((divisor) => Math.log(scaledDivisor(divisor, Math.max(1, quality))));
  return logs.reduce((a, b) => a + b, 0) / LOW_FREQUENCIES;
});

/** Mean logarithm of the divisors of the low frequencies; falls with quality, in stairs. */
export function logStep(quality: number): number {
  return LOG_STEPS[quality];
}
