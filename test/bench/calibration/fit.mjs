/** Non-negative least squares: images with the same SSIMULACRA2 should have the same weighted sum of losses. */
import { CHROMA_MODES, crossing } from './statistics.mjs';

/** The SSIMULACRA2 values at which the sums should be equal, and their importance: highest around the default. */
const LEVELS = [
  { ssimulacra2: 70, importance: 0.4 },
  { ssimulacra2: 75, importance: 1 },
  { ssimulacra2: 80, importance: 1 },
  { ssimulacra2: 85, importance: 0.4 },
];
/** Half the span, in points, over which the slope of a curve is measured. */
const SLOPE_SPAN = 1.5;
const ROUNDS = 4;

/** @returns weights in the order of the losses, such that the sum is 1 at a median SSIMULACRA2 of about 80. */
export function fitWeights(images) {
  const samples = LEVELS.flatMap((level) => images.flatMap((curves) => samplesAt(curves, level)));
  const terms = samples[0].losses.length;
  const scale = Array.from({ length: terms }, (_, k) => {
    const at80 = samples.filter(({ level }) => level.ssimulacra2 === 80);
    return at80.reduce((sum, { losses }) => sum + losses[k], 0) / at80.length;
  });
  let weights = Array(terms).fill(1 / terms);
  const sum = (losses) => losses.reduce((total, loss, k) => total + (weights[k] * loss) / scale[k], 0);
  for (let round = 0; round < ROUNDS; round++) {
    const centre = new Map(
      LEVELS.map((level) => {
        const logs = samples.filter((s) => s.level === level).map((s) => Math.log(sum(s.losses)));
        return [level, Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length)];
      }),
    );
    const atEighty = centre.get(LEVELS[2]);
    const rows = samples.map(({ level, losses, worse, better }) => {
      const slope = Math.max(0.03, Math.log(sum(worse) / sum(better)) / (2 * SLOPE_SPAN));
      return {
        values: losses.map((loss, k) => (loss / scale[k]) * (atEighty / centre.get(level))),
        importance: level.importance / slope ** 2,
      };
    });
    weights = leastSquares(rows, terms);
  }
  return weights.map((weight, k) => weight / scale[k]);
}

function samplesAt(curves, level) {
  return CHROMA_MODES.flatMap((mode) => {
    const at = (ssimulacra2) => lossesAt(curves[mode], ssimulacra2);
    const losses = at(level.ssimulacra2);
    const worse = at(level.ssimulacra2 - SLOPE_SPAN);
    const better = at(level.ssimulacra2 + SLOPE_SPAN);
    return losses && worse && better ? [{ level, losses, worse, better }] : [];
  });
}

function lossesAt(curve, ssimulacra2) {
  const found = crossing(curve, ssimulacra2);
  if (!found) return undefined;
  const [left, right] = [curve[found.i].losses, curve[found.i + 1].losses];
  const log = (loss) => Math.log(Math.max(loss, 1e-9));
  return left.map((loss, k) => Math.exp(log(loss) + (log(right[k]) - log(loss)) * found.t));
}

/** Minimises Σ importance · (Σ w·value − 1)² over w ≥ 0, by coordinate descent on the normal equations. */
function leastSquares(rows, terms) {
  const products = Array.from({ length: terms }, () => Array(terms).fill(0));
  const targets = Array(terms).fill(0);
  for (const { values, importance } of rows) {
    for (let i = 0; i < terms; i++) {
      targets[i] += importance * values[i];
      for (let j = 0; j < terms; j++) products[i][j] += importance * values[i] * values[j];
    }
  }
  const weights = Array(terms).fill(1 / terms);
  for (let pass = 0; pass < 500; pass++) {
    for (let i = 0; i < terms; i++) {
      let rest = targets[i];
      for (let j = 0; j < terms; j++) if (j !== i) rest -= products[i][j] * weights[j];
      weights[i] = products[i][i] > 0 ? Math.max(0, rest / products[i][i]) : 0;
    }
  }
  return weights;
}
