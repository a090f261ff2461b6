/**
 * Finds the best result within a byte limit by attempts at lower qualities, then at smaller sides. Sizes fall with both, but not
 * strictly; every returned result was made and fits.
 */

interface Result {
  readonly bytes: Uint8Array;
  readonly score: number;
}

export interface FitSearch<R extends Result> {
  readonly maxBytes: number;
  /** Longer sides to try in pixels, largest first. */
  readonly sides: readonly number[];
  /** Logarithm of the largest acceptable loss ÷ the target. */
  readonly range: number;
  /** Makes the file of a share of this range at a side: 0 is the target, 1 the largest acceptable loss. */
  readonly attempt: (share: number, side: number) => Promise<R>;
  /** Whether to try nothing more; the result is then the best one that fits so far. */
  readonly isLate?: () => boolean;
}

interface Point {
  readonly share: number;
  readonly bytes: number;
  /** Whether nothing of the file is lost. */
  readonly isExact: boolean;
}

/** A result that leaves less than this share of the limit unused is good enough: 5% of the bytes is about two quality steps. */
const TOLERATED_ROOM = 0.05;
const AIM = 0.98;
const MAX_ATTEMPTS = 4;
/** Typical slope of the logarithm of the size over the logarithm of the loss. */
const SLOPE = -0.6;
/** The steepest slope (most images have −1 at most, one with a noisy ground −1.5), and the flattest one by the share that is believed. */
const STEEPEST = -2;
const FLATTEST = -0.01;
/** Shares closer than this give the same file. */
const CLOSE = 0.02;
/** Between a file that fits and one that does not, part of the way that each attempt goes at least. */
const LEAST_MOVE = 0.2;
/** Beyond this share, the largest loss is tried at once. */
const NEARLY_ALL = 0.7;

/**
 * Returns the best result that fits; undefined if none does.
 * @param atTarget the result at the target and the largest side, which exceeds the limit
 */
export async function bestThatFits<R extends Result>(
  search: FitSearch<R>,
  atTarget: R,
): Promise<R | undefined> {
  const { sides, range, maxBytes } = search;
  let known: Point = { share: 0, bytes: atTarget.bytes.length, isExact: atTarget.score === 1 };
  // No file at the largest side is smaller than this.
  const least = known.isExact ? 0 : known.bytes * Math.exp(STEEPEST * range);
  for (let step = least > maxBytes ? nextStep(0, least / maxBytes) : 0; sides[step] && !search.isLate?.();) {
    const { fitting, last } = await bestAt(search, sides[step], known, step === 0);
    if (fitting) return fitting;
    // A result without loss, such as a JPG in CMYK, does not predict the size of a scaled one.
    const next = nextStep(step, last.isExact ? 1 : last.bytes / maxBytes);
    known = { ...last, bytes: last.bytes * 2 ** (((step - next) * 2) / STEPS_TO_HALF) };
    step = next;
  }
  return undefined;
}

async function bestAt<R extends Result>(
  { maxBytes, range, attempt, isLate }: FitSearch<R>,
  side: number,
  known: Point,
  isTried: boolean,
): Promise<{ readonly fitting?: R | undefined; readonly last: Point }> {
  let fitting: R | undefined;
  let over = isTried ? known : undefined;
  let under: Point | undefined;
  let last = known;
  let share = shareFor(maxBytes, known, SLOPE * range);
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    share = Math.max(0, Math.min(1, share));
    if (!under && (attempts === MAX_ATTEMPTS || share > NEARLY_ALL)) share = 1;
    const result = await attempt(share, side);
    const isSame = last.bytes === result.bytes.length;
    last = { share, bytes: result.bytes.length, isExact: result.score === 1 };
    if (last.bytes > maxBytes) {
      over = last;
      if (share === 1) break;
    } else {
      if (!fitting || result.score >= fitting.score) fitting = result;
      under = last;
      if (last.bytes >= maxBytes * (1 - TOLERATED_ROOM) || share === 0) break;
    }
    if ((over && under && under.share - over.share < CLOSE) || isLate?.()) break;
    const slope = over && under && Math.log(under.bytes / over.bytes) / (under.share - over.share);
    const [low, high] = [over?.share ?? 0, under?.share ?? 1];
    share = isSame ? (low + high) / 2 : shareFor(maxBytes, last, slope ?? SLOPE * range);
    if (over && under)
      share = Math.max(low + LEAST_MOVE * (high - low), Math.min(high - LEAST_MOVE * (high - low), share));
  }
  return { fitting, last };
}

/** Returns the share whose file seems to fit just, from a known file. */
function shareFor(maxBytes: number, { share, bytes }: Point, slope: number) {
  return share + Math.log((maxBytes * AIM) / bytes) / Math.min(slope, FLATTEST);
}

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
 */
function nextStep(step: number, excess: number) {
  return step + Math.max(1, Math.floor((STEPS_TO_HALF / 2) * Math.log2(Math.max(1, excess))));
}
