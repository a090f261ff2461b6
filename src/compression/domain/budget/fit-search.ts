/**
 * The search for the best result that fits: the highest step of a ladder (a JPEG's quality, a palette's fineness) whose
 * file has at most so many bytes. Predictions choose what is encoded, and the bytes of what was encoded correct them.
 *
 * Sizes grow with the step, but not strictly. The search never infers that a step fits: what it returns was encoded.
 */
import type { ByteBudget } from '../compression-policy';
import type { QualityRange } from '../search/trial-curve';

interface Encoded {
  readonly bytes: Uint8Array;
}

export interface FitSearch<R extends Encoded> {
  /** Steps to choose from, as integers, both ends included. */
  readonly range: QualityRange;
  readonly maxBytes: ByteBudget['maxBytes'];
  /** Bytes at a step, about. */
  readonly predict: (step: number) => number | Promise<number>;
  /** Encodes the image; called at most once for a step. */
  readonly encode: (step: number) => Promise<R>;
  /** Whether a result may be delivered. */
  readonly passes: (result: R) => boolean;
  /** Encodes that may be spent. */
  readonly maxEncodes: number;
}

/** A result that leaves less than this of the budget unused is good enough: 5 % of the bytes are two steps of quality. */
const TOLERATED_ROOM = 0.05;
/**
 * The result of the highest step that fits and passes; undefined when there is none.
 * `minBytes` is a lower bound of what a result that passes takes.
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
  // What was encoded last on either side of the budget.
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
      // What is coarser would look worse still.
      if (!passes(result)) break;
      minBytes = Math.min(minBytes, known.real);
      above = known;
      highest = step - 1;
    }
  }
  return fitting && passes(fitting) ? { fitting, minBytes } : { minBytes };
}

/** Bytes of a step that was encoded. */
interface Known {
  readonly real: number;
  readonly predicted: number;
}

/** The predicted bytes whose real ones are the budget: on a line through what is known, between logarithms. */
function predictionFor(maxBytes: number, below: Known | undefined, above: Known | undefined): number {
  const [from, to] = [below ?? above, above ?? below];
  if (!from || !to) return maxBytes;
  const slope =
    from === to || from.real === to.real
      ? 1
      : Math.log(to.predicted / from.predicted) / Math.log(to.real / from.real);
  return from.predicted * (maxBytes / from.real) ** slope;
}

/** The highest step predicted to have at most so many bytes, by bisection; the lowest when none has. */
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
