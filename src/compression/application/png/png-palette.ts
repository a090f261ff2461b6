/** At most 256 colours. The rest of the allowed loss goes to repeating earlier indices, which deflate in fewer bytes. */
import type { Effort, FitAttempt } from '../../domain/compression-policy';
import type { FidelityGuard, Verdict } from '../../domain/fidelity-guard';
import { colourCount, MAX_COLOURS, type IndexedImage } from '../../domain/palette/indexed-image';
import { withExactColours } from '../../domain/palette/exact-colours';
import { withRareColours } from '../../domain/palette/rare-colours';
import { withRepeatedMatches, nextStrength, type StrengthTrial } from '../../domain/palette/repeat-matches';
import type { Pixels } from '../../domain/pixels';
import type { PngCodec } from '../codecs.port';
import type { PngDraft, LossySource, PngWork } from './png-work';
import { packIndexed, smallerPacking } from './png-codings';
import { Refinement, REFINABLE_LOSS, type JudgedImage } from './png-refinement';

/** Palette qualities, coarsest first: see PngCodec.quantise. */
const QUALITIES = [10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 100];
const DENSE_QUALITIES = [1, 2, 3, 5, 7, ...QUALITIES];
/** Strengths of dithering that are compared where single pixels are not seen. Elsewhere its noise costs more bytes than it saves. */
const DENSE_DITHERS = [0, 0.5];
/** Above this loss, the finest palette is tried next: photos fail even with that. */
const MAX_LOSS_RATIO = 2.5;
/** A palette that loses less on a part may pass on the whole, or with better colours: 7 of 52 do. */
const NEARLY_PASSING_LOSS = 1.25;
/**
 * A full palette that loses more on a part is not tried on the whole, which has more colours. Of 46 photos whose full palette lost
 * 1 to 1.5 on a part, 3 had a palette that passed after refinement; without it they took -1.5, 12 and 16% more bytes.
 */
const MAX_FULL_LOSS = 1;
const STEPS_BY_LOSS = [
  [3, 4],
  [2, 3],
  [1.4, 2],
  [0, 1],
] as const;
const MAX_TRIALS: Readonly<Record<Effort, { readonly small: number; readonly large: number }>> = {
  fast: { small: 2, large: 1 },
  balanced: { small: 5, large: 3 },
  max: { small: 8, large: 6 },
};
const SMALL_PIXELS = 1_000_000;
/** The only strength within a byte limit. */
const STRENGTH_TO_FIT = 10;

export interface PaletteStart {
  /** Coarsest first. */
  readonly qualities: readonly number[];
  /** Strength of dithering, 0..1. */
  readonly dither: number;
}

/** Returns the best way for a part of the image; undefined if the whole seems to need more colours. */
export async function paletteStart(work: PngWork, part: Pixels): Promise<PaletteStart | undefined> {
  const { policy, size, density } = work;
  if (policy.fit) return startToFit(policy.fit);
  const guard = work.createGuard(part, size);
  if (density === 1) {
    return findLowest(work, part, guard, { qualities: QUALITIES, dither: 0 });
  }
  const ways: { readonly start: PaletteStart; readonly estimate: number }[] = [];
  for (const dither of DENSE_DITHERS) {
    const start = await findLowest(work, part, guard, { qualities: DENSE_QUALITIES, dither });
    const image = start && (await work.codec.quantise(part, start.qualities[0], 'fast', dither));
    if (image) ways.push({ start, estimate: smallerPacking(image).estimate });
  }
  return ways.sort((a, b) => a.estimate - b.estimate).at(0)?.start;
}

/** Starts with the palette quality of an attempt, whether or not it passes. */
function startToFit({ share }: FitAttempt): PaletteStart {
  const coarsest = Math.round(100 ** (1 - share));
  return { qualities: [coarsest, ...DENSE_QUALITIES.filter((quality) => quality > coarsest)], dither: 0 };
}

async function findLowest(
  work: PngWork,
  part: Pixels,
  guard: FidelityGuard,
  { qualities, dither }: PaletteStart,
): Promise<PaletteStart | undefined> {
  const judgeAt = async (step: number) => {
    const quantised = await work.codec.quantise(part, qualities[step], 'fast', dither);
    if (!quantised) return { passes: false, loss: Infinity, isFinest: false };
    return { ...guard.judge(quantised), isFinest: isFull(quantised) };
  };
  const finest = qualities.length - 1;
  let [fails, passes, least, failure] = [-1, finest, Infinity, Infinity];
  for (let step = finest >> 1; passes - fails > 1;) {
    if (work.isLate()) return undefined;
    const verdict = await judgeAt(step);
    if (verdict.passes) passes = step;
    else [fails, failure] = verdict.isFinest ? [finest - 1, Infinity] : [step, verdict.loss];
    least = Math.min(least, verdict.loss);
    const isSearching = passes - fails > 1;
    const isFar = least > (isSearching ? MAX_LOSS_RATIO : REFINABLE_LOSS);
    if (isFar || verdict.isFinest) {
      const full = verdict.isFinest ? verdict : await judgeAt(finest);
      least = full.loss;
      if (least > (full.isFinest ? MAX_FULL_LOSS : REFINABLE_LOSS)) return undefined;
    }
    step = Math.min(Math.max(step + stepsAfter(verdict, passes - step), fails + 1), passes - 1);
  }
  const mayPass = failure > 1 && failure <= NEARLY_PASSING_LOSS && dither === 0;
  return { qualities: qualities.slice(mayPass ? fails : passes), dither };
}

/** Returns the quality steps to move. A palette may also fail because a colour shifts, with little loss. */
function stepsAfter({ passes, loss }: Pick<Verdict, 'passes' | 'loss'>, toPassing: number): number {
  if (passes) return -stepsToGo(1 / loss);
  return loss > 1 ? stepsToGo(loss) : toPassing >> 1;
}

export async function coarsestPalette(
  { codec, policy: { effort } }: PngWork,
  pixels: Pixels,
  start: PaletteStart | undefined,
): Promise<IndexedImage | undefined> {
  return start && codec.quantise(pixels, start.qualities[0], effort, start.dither);
}

export async function encodeWithPalette(
  work: PngWork,
  source: LossySource,
  { qualities, dither }: PaletteStart,
  coarsest: IndexedImage | undefined,
): Promise<PngDraft | undefined> {
  const { codec, size, stopwatch } = work;
  const { effort, fit } = work.policy;
  const isSmall = size.width * size.height < SMALL_PIXELS;
  const maxTrials = fit ? 1 : MAX_TRIALS[effort][isSmall ? 'small' : 'large'];
  const finest = qualities.length - 1;
  const judge = (candidate: IndexedImage): JudgedImage => ({
    image: candidate,
    ...source.guard.judge(candidate),
  });
  const refinement = new Refinement(work, source, judge);
  let merged = coarsest;
  for (let step = 0; ;) {
    if (!merged) return undefined;
    const exact = withExactColours(merged, source.pixels, source.kept);
    const image = fit ? withRareColours(exact, source.pixels, source.kept) : exact;
    const tried = stopwatch.measure('verify', () => judge(image));
    const isLast = step === finest || isFull(merged);
    const passing = stopwatch.measure('search', () => {
      if (tried.passes) return dither === 0 ? refinement.whereFull(tried) : tried;
      if (isLast) return refinement.thoroughly(tried);
      return dither === 0 ? refinement.quickly(tried) : undefined;
    });
    if (passing) {
      return stopwatch.measure('search', () => inFewerBytes(work, passing, { source, judge, maxTrials }));
    }
    if (isLast || work.isLate()) return undefined;
    step = Math.min(finest, step + stepsToGo(tried.loss));
    merged = await stopwatch.time('search', () =>
      codec.quantise(source.pixels, qualities[step], effort, dither),
    );
  }
}

/** Returns whether finer qualities give the same image. */
function isFull(image: IndexedImage): boolean {
  return colourCount(image) === MAX_COLOURS;
}

function stepsToGo(loss: number): number {
  return STEPS_BY_LOSS.find(([least]) => loss >= least)?.[1] ?? 1;
}

/** Returns the smallest of the image and its repetitions that pass. */
function inFewerBytes(work: PngWork, exact: JudgedImage, { source, judge, maxTrials }: Repetition): PngDraft {
  const { pixels, kept } = source;
  let best = makeDraft(exact, work.codec);
  let passed: StrengthTrial = { strength: 0, loss: exact.loss };
  let failed: StrengthTrial | undefined;
  for (let trial = 0; trial < maxTrials; trial++) {
    const strength = work.policy.fit
      ? STRENGTH_TO_FIT
      : nextStrength(passed, failed, exact.loss, work.density);
    if (strength === undefined || strength <= passed.strength || work.isLate()) break;
    const tried = judge(withRepeatedMatches(pixels, exact.image, strength, kept.exact));
    if (tried.passes) {
      const draft = makeDraft(tried, work.codec);
      if (draft.estimate < best.estimate) best = draft;
      passed = { strength, loss: tried.loss };
    } else {
      failed = { strength, loss: tried.loss };
    }
  }
  return best;
}

interface Repetition {
  readonly source: LossySource;
  readonly judge: (candidate: IndexedImage) => JudgedImage;
  readonly maxTrials: number;
}

function makeDraft({ image, score }: JudgedImage, codec: PngCodec): PngDraft {
  const packing = smallerPacking(image);
  const { estimate } = packing;
  return { score, estimate, image, pack: (effort) => packIndexed(image, codec, effort, packing) };
}
