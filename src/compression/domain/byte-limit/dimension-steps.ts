/**
 * The dimensions to try, largest first, if an image exceeds its byte limit. Each step has 0.71 of the pixels of the previous one,
 * which saves about as many bytes as going from `high` to `low`.
 */

/** Number of steps that halve a side. */
const STEPS_TO_HALF = 4;
/** The last step has an eighth of width and height; smaller results would be thumbnails. */
const LAST_STEP = 3 * STEPS_TO_HALF;
/** The longer side is never shorter than an icon. */
const MIN_LONGER_PX = 32;

/**
 * Returns the longer sides to try, in pixels.
 * @param longerPx longer side of the result without a byte limit; always the first step, however small
 * @example
 * console.log(dimensionSteps(100)); // [100, 84, 71, 59, 50, 42, 35]
 */
export function dimensionSteps(longerPx: number): readonly number[] {
  const sides = Array.from({ length: LAST_STEP + 1 }, (_, step) =>
    Math.round(longerPx * 2 ** (-step / STEPS_TO_HALF)),
  );
  return sides.filter((side, step) => step === 0 || side >= MIN_LONGER_PX);
}

/**
 * Returns the next step to try, at least one further. It assumes that bytes shrink as fast as pixels; they shrink more
 * slowly, so no step that would fit is skipped.
 * @param excess bytes of the smallest acceptable result at this step ÷ the byte limit
 * @example
 * console.log(nextStep(0, 1.2)); // 1
 * console.log(nextStep(0, 4)); // 4
 */
export function nextStep(step: number, excess: number): number {
  const stepsToFit = Math.floor((STEPS_TO_HALF / 2) * Math.log2(Math.max(1, excess)));
  return step + Math.max(1, stepsToFit);
}
