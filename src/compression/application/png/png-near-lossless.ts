/** Truecolour whose channels differ by at most a few of 255. A part of the image decides coding and error size. */
import type { FidelityGuard, Verdict } from '../../domain/fidelity-guard';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { withFixed, type FixedPixels, type KeptColours } from '../../domain/kept-colours';
import type { Pixels } from '../../domain/pixels';
import {
  CODINGS,
  losslessBytesPerSample,
  type NearLosslessAttempt,
  type NearLosslessCoding,
} from './png-codings';
import { isLate } from '../context';
import { createGuard, type PngImage, type LossySource, type PngDraft } from './png-image';

export const COMPARED_PIXELS = 250_000;
const PRICED_PIXELS = 65_536;
const SEARCHED_PIXELS = 500_000;
/** A coding is searched only if its estimate is below this share of a lossless file. */
const WORTHWHILE = 0.95;
/** Estimates from different parts of an image differ by less. */
const CERTAINLY_SMALLER = 0.9;
/** Approximate growth of the loss from one step to the next, and the least that is expected after two steps grew slower. */
const LOSS_PER_STEP = 1.3;
const LEAST_LOSS_PER_STEP = 1.05;

/** Share of the bytes that exact colours may cost. */
const MOST_COST_OF_KEPT = 0.05;

export interface RankedCoding {
  readonly coding: NearLosslessCoding;
  readonly bytesPerSample: number;
}

export interface Ranking {
  readonly lossless: number;
  prospects(): readonly RankedCoding[];
}

export function rankCodings(part: FixedPixels): Ranking {
  const lossless = losslessBytesPerSample(part);
  const prospects = () =>
    CODINGS.map((coding) => ({ coding, bytesPerSample: bytesAtFirstStep(coding, part) }))
      .filter(({ bytesPerSample }) => bytesPerSample < lossless * WORTHWHILE)
      .sort((a, b) => a.bytesPerSample - b.bytesPerSample);
  return { lossless, prospects };
}

function bytesAtFirstStep(coding: NearLosslessCoding, part: FixedPixels) {
  return coding.run(part, coding.firstStep).bytesPerSample();
}

/** Returns the affordable kept colours. If they take too many bytes, first transparent pixels are no longer exact, then no colour. */
function affordable(part: Pixels, kept: KeptColours) {
  const mayBeHidden = part.channels % 2 === 0 && kept.isHiddenPlain;
  if (kept.exact.size === 0 && !mayBeHidden) return kept;
  const freelyHidden = { ...kept, isHiddenPlain: false };
  const free = { ...freelyHidden, exact: new Set<number>() };
  const eachBytesPerSample = (colours: KeptColours) =>
    CODINGS.map((coding) => bytesAtFirstStep(coding, withFixed(part, colours)));
  const most = eachBytesPerSample(free).map((bytesPerSample) => bytesPerSample * (1 + MOST_COST_OF_KEPT));
  const ways = mayBeHidden ? [kept, freelyHidden] : [kept];
  return (
    ways.find((colours) =>
      eachBytesPerSample(colours).every((bytesPerSample, i) => bytesPerSample <= most[i]),
    ) ?? free
  );
}

export async function encodeNearLossless(
  work: PngImage,
  { compact: image, guard, kept: wanted }: LossySource,
  prospects: readonly RankedCoding[],
): Promise<PngDraft | undefined> {
  const { codec, stopwatch } = work;
  return stopwatch.time('search', () => {
    const kept = affordable(sampleBands(image, PRICED_PIXELS), wanted);
    const compact = withFixed(image, kept);
    const sampled = sampleBands(image, SEARCHED_PIXELS);
    const part = sampled === image ? compact : withFixed(sampled, kept);
    const isWhole = part === compact;
    const partGuard = isWhole ? guard : createGuard(work, part, compact);
    const found: (Found & RankedCoding)[] = [];
    for (const { coding, bytesPerSample: expected } of prospects) {
      const isAtBest = coding.firstStep === coding.steps - 1;
      if (isAtBest && found.some(({ bytesPerSample }) => bytesPerSample < expected * CERTAINLY_SMALLER))
        continue;
      const coarse = coarsest(work, part, partGuard, coding);
      if (coarse) found.push({ ...coarse, coding, bytesPerSample: coarse.coded.bytesPerSample() });
    }
    for (const best of found.sort((a, b) => a.bytesPerSample - b.bytesPerSample)) {
      const passing = isWhole ? best : onTheWhole(work, compact, guard, best);
      if (!passing) continue;
      const { coded, verdict } = passing;
      return {
        score: verdict.score,
        errorBound: coded.errorBound,
        part,
        estimate: best.bytesPerSample * compact.data.length,
        pack: (effort) => coded.pack(codec, effort, best.bytesPerSample > NOISE_BYTES_PER_SAMPLE),
      };
    }
    return undefined;
  });
}

/** Photos take 0.15 to 0.3, drawings with soft shadows 0.01 to 0.08. */
const NOISE_BYTES_PER_SAMPLE = 0.12;

interface Found {
  readonly step: number;
  readonly coded: NearLosslessAttempt;
  readonly verdict: Verdict;
}

/** Returns the coarsest step that passes. The loss of each step predicts how many steps remain. */
function coarsest(work: PngImage, image: FixedPixels, guard: FidelityGuard, coding: NearLosslessCoding) {
  let found: Found | undefined;
  let [first, end] = [0, coding.steps];
  for (let step = coding.firstStep; first < end && !isLate(work);) {
    const attempt = attemptStep(image, guard, coding, step);
    const growth = attempt.verdict.passes && found ? growthBetween(found, attempt) : LOSS_PER_STEP;
    if (attempt.verdict.passes) {
      found = attempt;
      first = step + 1;
    } else {
      end = step;
    }
    step = Math.min(Math.max(step + stepsToGo(attempt.verdict, growth), first), end - 1);
  }
  return found;
}

function onTheWhole(
  work: PngImage,
  image: FixedPixels,
  guard: FidelityGuard,
  { step: first, coding }: Found & RankedCoding,
): Found | undefined {
  for (let step = first; step >= 0 && !isLate(work);) {
    const attempt = attemptStep(image, guard, coding, step);
    if (attempt.verdict.passes) return attempt;
    step += stepsToGo(attempt.verdict);
  }
  return undefined;
}

function attemptStep(
  image: FixedPixels,
  guard: FidelityGuard,
  coding: NearLosslessCoding,
  step: number,
): Found {
  const coded = coding.run(image, step);
  return { step, coded, verdict: guard.judge(coded.delivered) };
}

/** Returns the growth of the loss from one step to the next. */
function growthBetween(finer: Found, coarser: Found) {
  const growth = (coarser.verdict.loss / finer.verdict.loss) ** (1 / (coarser.step - finer.step));
  return Math.min(LOSS_PER_STEP, Math.max(LEAST_LOSS_PER_STEP, growth));
}

function stepsToGo({ passes, loss }: Verdict, growth = LOSS_PER_STEP) {
  const steps = Math.trunc(-Math.log(Math.max(loss, 0.01)) / Math.log(growth));
  return passes ? Math.max(1, steps) : Math.min(-1, steps);
}
