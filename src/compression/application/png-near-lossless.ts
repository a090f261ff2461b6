/**
 * The near-lossless rung of a PNG: truecolour whose channels are off by a few of 255 at most. A part of the image tells
 * which coding is smaller and how far the errors may go; then the whole is coded and judged.
 */
import type { CompressionPolicy } from '../domain/compression-policy';
import { FidelityGuard, type Verdict } from '../domain/fidelity-guard';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import type { Pixels } from '../domain/pixels';
import type { PngCodec } from './codecs.port';
import { CODINGS, losslessDensity, type NearLosslessAttempt, type NearLosslessCoding } from './png-codings';
import type { PngDraft, LossySource } from './png-draft';
import type { Stopwatch } from './stopwatch';

/** Pixels that the step is looked for on. */
const SEARCHED_PIXELS = 500_000;
/** A coding that does not make so much of a lossless file, or less, is not worth the search. */
const WORTHWHILE = 0.95;
/** Growth of the loss from one step of the ladder to the next, about. */
const LOSS_PER_STEP = 1.3;

/** A coding that may be worth it, and bytes a sample at its usual step. */
export interface RankedCoding {
  readonly coding: NearLosslessCoding;
  readonly density: number;
}

/** The prospects by a small part of the image, best first; and the density of lossless rows. */
export function rankCodings(part: Pixels): {
  readonly prospects: readonly RankedCoding[];
  readonly lossless: number;
} {
  const lossless = losslessDensity(part);
  const prospects = CODINGS.map((coding) => ({
    coding,
    density: coding.run(part, coding.usualStep).density(),
  }))
    .filter(({ density }) => density < lossless * WORTHWHILE)
    .sort((a, b) => a.density - b.density);
  return { prospects, lossless };
}

/** Undefined where none of the prospects passes. */
export async function encodeNearLossless(
  prospects: readonly RankedCoding[],
  { compact, guard }: LossySource,
  codec: PngCodec,
  { effort, targetScore }: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<PngDraft | undefined> {
  return stopwatch.time('search', () => {
    const part = sampleBands(compact, SEARCHED_PIXELS);
    const isWhole = part === compact;
    const partGuard = isWhole ? guard : new FidelityGuard(part, targetScore);
    let best: (Found & RankedCoding) | undefined;
    for (const { coding, density: usual } of prospects) {
      if (best && best.density <= usual) continue;
      const found = coarsest(part, partGuard, coding);
      const density = found?.coded.density() ?? Infinity;
      if (found && density < (best?.density ?? Infinity)) best = { ...found, density, coding };
    }
    if (!best) return undefined;
    const passing = isWhole ? best : onTheWhole(compact, guard, best);
    if (!passing) return undefined;
    const { coded, verdict } = passing;
    return {
      score: verdict.score,
      errorBound: coded.errorBound,
      estimate: best.density * compact.data.length,
      pack: () => coded.pack(codec, effort),
    };
  });
}

interface Found {
  readonly step: number;
  readonly coded: NearLosslessAttempt;
  readonly verdict: Verdict;
}

/** The last step that passes; the loss grows from step to step, and so foretells how many steps there are to go. */
function coarsest(image: Pixels, guard: FidelityGuard, coding: NearLosslessCoding): Found | undefined {
  let found: Found | undefined;
  let [first, end] = [0, coding.steps];
  for (let step = coding.usualStep; first < end;) {
    const attempt = attemptStep(image, guard, coding, step);
    if (attempt.verdict.passes) {
      found = attempt;
      first = step + 1;
    } else {
      end = step;
    }
    step = Math.min(Math.max(step + stepsToGo(attempt.verdict), first), end - 1);
  }
  return found;
}

/** Codes the whole as its part was, and more faithfully where it does not pass. */
function onTheWhole(
  image: Pixels,
  guard: FidelityGuard,
  { step: first, coding }: Found & RankedCoding,
): Found | undefined {
  for (let step = first; step >= 0;) {
    const attempt = attemptStep(image, guard, coding, step);
    if (attempt.verdict.passes) return attempt;
    step += stepsToGo(attempt.verdict);
  }
  return undefined;
}

function attemptStep(image: Pixels, guard: FidelityGuard, coding: NearLosslessCoding, step: number): Found {
  const coded = coding.run(image, step);
  return { step, coded, verdict: guard.judge(coded.delivered) };
}

/** At least one, forth where it passes and back where it does not. */
function stepsToGo({ passes, loss }: Verdict): number {
  const steps = Math.trunc(-Math.log(Math.max(loss, 0.01)) / Math.log(LOSS_PER_STEP));
  return passes ? Math.max(1, steps) : Math.min(-1, steps);
}
