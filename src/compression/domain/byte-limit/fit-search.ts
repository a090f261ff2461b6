/**
 * Finds the best result within a byte limit: the highest step (a JPEG quality, or a palette quality) whose file fits. Predictions
 * choose which steps to encode, and the actual sizes correct the predictions. If none fits, smaller dimensions are tried.
 *
 * Sizes grow with the step, but not strictly. The search never infers that a step fits: every returned result was encoded.
 */
import type { ByteLimit } from '../compression-policy';
import type { QualityRange } from '../search/trial-curve';

interface Encoded {
  readonly bytes: Uint8Array;
}

export interface FitSearch<R extends Encoded> {
  /** Range of steps: integers, both ends included. */
  readonly range: QualityRange;
  readonly maxBytes: ByteLimit['maxBytes'];
  /** Predicts the size at a step. */
  readonly predict: (step: number) => number | Promise<number>;
  /** Encodes the image; called at most once per step. */
  readonly encode: (step: number) => Promise<R>;
  /** Returns whether a result may be delivered. */
  readonly passes: (result: R) => boolean;
  /** Maximum number of encodes. */
  readonly maxEncodes: number;
}

/** A result is good enough if it leaves less than this share of the byte limit unused: 5% of the bytes is about two quality steps. */
const TOLERATED_ROOM = 0.05;

/**
 * Returns the result of the highest step that fits and passes; undefined if there is none. `minBytes` is a lower bound
 * for the size of a passing result.
 */
export async function highestThatFits<R extends Encoded>({
  range,
  maxBytes,
  predict,
  encode,
  passes,
  maxEncodes,
}: FitSearch<R>): Promise<{ readonly fitting?: R; readonly minBytes: number }> {
  let { lowest, highest } = range;
  let fitting: R | undefined;
  let minBytes = Infinity;
  // The latest encodes below and above the byte limit.
  let below: Known | undefined;
  let above: Known | undefined;
  for (let encodes = 0; lowest <= highest && encodes < maxEncodes; encodes++) {
    if (fitting && fitting.bytes.length >= maxBytes * (1 - TOLERATED_ROOM)) break;
    const wanted = predictionFor(maxBytes, below, above);
    const step = await highestPredicted({ lowest, highest }, wanted, predict);
    const result = await encode(step);
    const known = { real: result.bytes.length, predicted: await predict(step) };
    if (known.real <= maxBytes) {
      fitting = result;
      below = known;
      lowest = step + 1;
    } else {
      // Coarser steps would look even worse.
      if (!passes(result)) break;
      minBytes = Math.min(minBytes, known.real);
      above = known;
      highest = step - 1;
    }
  }
  return fitting && passes(fitting) ? { fitting, minBytes } : { minBytes };
}

/** Predicted and actual size of an encoded step. */
interface Known {
  readonly real: number;
  readonly predicted: number;
}

/** Returns the predicted size whose actual size equals the byte limit, by logarithmic interpolation between the known encodes. */
function predictionFor(maxBytes: number, below: Known | undefined, above: Known | undefined): number {
  const [from, to] = [below ?? above, above ?? below];
  if (!from || !to) return maxBytes;
  const slope =
    from === to || from.real === to.real
      ? 1
      : Math.log(to.predicted / from.predicted) / Math.log(to.real / from.real);
  return from.predicted * (maxBytes / from.real) ** slope;
}

/** Returns the highest step predicted to have at most this many bytes, by bisection; the lowest step if there is none. */
async function highestPredicted(
  { lowest, highest }: QualityRange,
  bytes: number,
  predict: FitSearch<Encoded>['predict'],
): Promise<number> {
  let [fits, end] = [lowest, highest + 1];
  while (end - fits > 1) {
    const middle = (fits + end) >> 1;
    if ((await predict(middle)) <= bytes) fits = middle;
    else end = middle;
  }
  return fits;
}

/** Number of steps that halve a side. */
const STEPS_TO_HALF = 4;
/** The last step has an eighth of width and height; smaller results would be thumbnails. */
const LAST_STEP = 3 * STEPS_TO_HALF;
/** The longer side is never shorter than an icon. */
const MIN_LONGER_PX = 32;

/**
 * Returns the longer sides to try if an image exceeds its byte limit, in pixels, largest first. Each step has 0.71 of the pixels of
 * the previous one, which saves about as many bytes as going from `high` to `low`.
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
