export const CHROMA_MODES = ['4:2:0', '4:4:4'];

const mix = (a, b, t) => a + (b - a) * t;
const logMix = (a, b, t) => Math.exp(mix(Math.log(a), Math.log(b), t));

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  return mix(sorted[below], sorted[Math.min(below + 1, sorted.length - 1)], at - below);
}

export function deviation(values) {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
}

/** Returns where a curve (rows by rising quality) passes a SSIMULACRA2: rows i, i+1 and the fraction. */
export function crossing(curve, ssimulacra2) {
  for (let i = 0; i + 1 < curve.length; i++) {
    if (curve[i].ssimulacra2 <= ssimulacra2 && curve[i + 1].ssimulacra2 >= ssimulacra2) {
      const span = curve[i + 1].ssimulacra2 - curve[i].ssimulacra2;
      return { i, t: span > 0 ? (ssimulacra2 - curve[i].ssimulacra2) / span : 0 };
    }
  }
  return undefined;
}

/** Returns the file that a search for `metric` ≤ threshold would deliver, interpolated between qualities. */
export function delivered(curve, metric, threshold) {
  const last = curve.length - 1;
  if (metric(curve[last]) > threshold) return undefined;
  for (let i = last; i > 0; i--) {
    const [left, right] = [metric(curve[i - 1]), metric(curve[i])];
    if (left <= threshold) continue;
    const t = Math.log(threshold / left) / Math.log(right / left);
    return {
      ssimulacra2: mix(curve[i - 1].ssimulacra2, curve[i].ssimulacra2, t),
      bytes: logMix(curve[i - 1].bytes, curve[i].bytes, t),
      butteraugli: mix(curve[i - 1].butteraugli, curve[i].butteraugli, t),
    };
  }
  return curve[0];
}

/** What a search for one value of a metric would deliver. @param images for each its curves, by chroma mode */
function searcher(images, metric, modes) {
  const loss = (row) => Math.max(metric(row), 1e-12);
  const at = (threshold) =>
    images.map((curves) => {
      const files = modes.map((mode) => delivered(curves[mode], loss, threshold)).filter(Boolean);
      const best = files.sort((a, b) => a.bytes - b.bytes)[0];
      return best ?? curves[modes.at(-1)].at(-1);
    });
  const thresholdFor = (statistic, wanted) => {
    let [low, high] = [Math.log(1e-7), Math.log(1e3)];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (statistic(at(Math.exp(middle)).map((file) => file.ssimulacra2)) > wanted) low = middle;
      else high = middle;
    }
    return Math.exp((low + high) / 2);
  };
  return { at, thresholdFor };
}

/** The spread at medians of 70, 75, 80 and 86, and the bytes with the 5th percentile held at 75. */
export function spreadOf(images, metric, modes = CHROMA_MODES) {
  const { at, thresholdFor } = searcher(images, metric, modes);
  const levels = [70, 75, 80, 86].map((level) => {
    const threshold = thresholdFor((values) => quantile(values, 0.5), level);
    const files = at(threshold);
    const scores = files.map((file) => file.ssimulacra2);
    return {
      level,
      threshold,
      deviation: deviation(scores),
      worst: Math.min(...scores),
      fifth: quantile(scores, 0.05),
      butteraugliSpread: deviation(files.map((file) => Math.log(file.butteraugli))),
    };
  });
  const held = at(thresholdFor((values) => quantile(values, 0.05), 75));
  const bytes = held.reduce((sum, file) => sum + file.bytes, 0);
  return { levels, bytesToOracle: bytes / oracleBytes(images, 75) };
}

/** Bytes of an exact search on SSIMULACRA2: the smallest file if that is better, the largest where none is as good. */
function oracleBytes(images, ssimulacra2) {
  return images.reduce((sum, curves) => {
    const sizes = CHROMA_MODES.flatMap((mode) => {
      const curve = curves[mode];
      if (curve[0].ssimulacra2 >= ssimulacra2) return [curve[0].bytes];
      const found = crossing(curve, ssimulacra2);
      return found ? [logMix(curve[found.i].bytes, curve[found.i + 1].bytes, found.t)] : [];
    });
    return sum + (sizes.length > 0 ? Math.min(...sizes) : curves[CHROMA_MODES.at(-1)].at(-1).bytes);
  }, 0);
}
