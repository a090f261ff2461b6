/**
 * The dimensions that are tried, largest first, where an image does not fit into a budget at its own. Each step has
 * 0.71 of the pixels of the one before, which takes about as much off the bytes as going from `high` to `low` does.
 */

/** Steps in which a side is halved. */
const STEPS_TO_HALF = 4;
/** The last step has an eighth of the width and height: less is another image, a thumbnail. */
const LAST_STEP = 3 * STEPS_TO_HALF;
/** Nor does the longer side become shorter than an icon. */
const MIN_LONGER_PX = 32;

/**
 * The longer sides to try, in pixels.
 * @param longerPx of the image when it has no budget; always the first step, however small
 */
export function dimensionSteps(longerPx: number): readonly number[] {
  const sides = Array.from({ length: LAST_STEP + 1 }, (_, step) =>
    Math.round(longerPx * 2 ** (-step / STEPS_TO_HALF)),
  );
  return sides.filter((side, step) => step === 0 || side >= MIN_LONGER_PX);
}

/**
 * The next step worth a try, counted from the first: at least one further. Bytes are taken to fall with the pixels; they fall more
 * slowly, so no step that would fit is left out.
 * @param excess bytes that the image takes at least at this step ÷ bytes of the budget
 */
export function nextStep(step: number, excess: number): number {
  const stepsToFit = Math.floor((STEPS_TO_HALF / 2) * Math.log2(Math.max(1, excess)));
  return step + Math.max(1, stepsToFit);
}
