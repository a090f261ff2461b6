/**
 * Finds the best result within a byte limit: the highest step (a JPEG quality, or a palette quality) whose file fits. Predictions
 * choose which steps to encode, and the actual sizes correct the predictions.
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
