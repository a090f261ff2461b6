/**
 * Luma quantization tables of encoders: 64 steps in zigzag order (ITU-T T.81, figure A.6), on the scale of
 * T.81 coefficients. Most encoders scale one table by quality (libjpeg, jcparam.c, jpeg_quality_scaling) and
 * round.
 */

/** MozJPEG's default table (its number 3, by N. Robidoux) at quality 50, in zigzag order. */
const MOZJPEG_STEPS: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43, 40, 43, 40,
  56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106, 135, 156, 131, 124,
  131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/** ITU-T T.81 table K.1 at quality 50, in zigzag order; used by libjpeg and most software. */
const STANDARD_STEPS: readonly number[] = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
  51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103,
  62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
];

/** Number of low-frequency coefficients: the first diagonals of the zigzag, which hold nearly all of a photo. */
const LOW_FREQUENCIES = 21;

/** The tables of one encoder. */
export interface TableFamily {
  /** `engine` is the encoder of the active engine. */
  readonly name: 'standard' | 'mozjpeg' | 'engine';
  /** Returns the 64 luma steps in zigzag order, each 1..255, at a quality of 1..100. */
  readonly stepsAt: (quality: number) => readonly number[];
}

export const STANDARD_TABLES: TableFamily = {
  name: 'standard',
  stepsAt: (quality) => scaledTable(STANDARD_STEPS, quality),
};

export const MOZJPEG_TABLES: TableFamily = {
  name: 'mozjpeg',
  stepsAt: (quality) => scaledTable(MOZJPEG_STEPS, quality),
};

/** libjpeg's scaling: 50 is the table itself, 100 makes all steps 1, and below 50 the steps grow with 1 ÷ quality. */
function scaledTable(steps: readonly number[], quality: number) {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - quality * 2;
  return steps.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** An encoder, and its quality, 1..100 on that encoder's own scale. */
export interface EncoderQuality {
  readonly family: TableFamily['name'];
  readonly quality: number;
}

/** Returns the quality, 1..100, whose table has the smallest sum of absolute differences to 64 steps in zigzag order. */
export function nearestQuality(lumaSteps: readonly number[], families: readonly TableFamily[]): number {
  let best = { quality: 100, distance: Infinity };
  for (const { stepsAt } of families) {
    for (let quality = 100; quality >= 1 && best.distance > 0; quality--) {
      const distance = stepsAt(quality).reduce((sum, step, i) => sum + Math.abs(step - lumaSteps[i]), 0);
      if (distance < best.distance) best = { quality, distance };
    }
  }
  return best.quality;
}

/** Whether the steps are exactly a table of the family. Then the encoder is known, not only how coarse it was. */
export function isFamilyTable(family: TableFamily, lumaSteps: readonly number[]): boolean {
  return family.stepsAt(equivalentQuality(lumaSteps, family)).every((step, i) => step === lumaSteps[i]);
}

/** Returns the quality, 1..100, at which a family quantizes as coarsely, by the sums of the low-frequency steps. */
export function equivalentQuality(lumaSteps: readonly number[], { stepsAt }: TableFamily): number {
  const sum = (steps: readonly number[]) => steps.slice(0, LOW_FREQUENCIES).reduce((a, b) => a + b, 0);
  const wanted = sum(lumaSteps);
  // Steps never increase with quality, so a binary search finds the two closest qualities.
  let [coarser, finer] = [1, 100];
  while (finer - coarser > 1) {
    const middle = (coarser + finer) >> 1;
    if (sum(stepsAt(middle)) >= wanted) coarser = middle;
    else finer = middle;
  }
  const isCoarserNearer = sum(stepsAt(coarser)) - wanted < wanted - sum(stepsAt(finer));
  return isCoarserNearer ? coarser : finer;
}
