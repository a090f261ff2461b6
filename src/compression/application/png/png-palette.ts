/** At most 256 colours. The rest of the allowed loss goes to repeating earlier indices, which deflate in fewer bytes. */
import type { Effort } from '../../domain/compression-policy';
import type { FidelityGuard } from '../../domain/fidelity-guard';
import { colourCount, type IndexedImage } from '../../domain/palette/indexed-image';
import { withAreaColours, withRareColours } from '../../domain/palette/rare-colours';
import {
  nextStrength,
  withAreasOf,
  withRepeatedMatches,
  type StrengthTrial,
} from '../../domain/palette/repeat-matches';
import type { Pixels } from '../../domain/pixels';
import type { PngCodec } from '../codecs.port';
import { isLate, type Context } from '../context';
import { createGuard, type PngImage, type LossySource, type PngDraft } from './png-image';
import { packIndexed, smallerPacking } from './png-codings';
import type { Quantiser } from './png-quantiser';
import { refine, type JudgedImage } from './png-refinement';

/** The part is tried first with a palette of this error: see squaredDifference. */
const FIRST_ERROR = 30;
/** Above this loss, the full palette is tried next: photos fail even with that. */
const MAX_LOSS_RATIO = 2.5;
/**
 * A full palette that loses more on a part is not tried on the whole, which has more colours. Of 46 photos whose full palette lost
 * 1 to 1.5 on a part, 3 had a palette that passed after refinement; without it they took -1.5, 12 and 16% more bytes.
 */
const MAX_FULL_LOSS = 1;
/** A palette that loses this much is close to the smallest one. */
const ENOUGH_LOSS = 0.9;
/** Palettes whose errors differ by less take about as many bytes. */
const CLOSE = 1.25;
/**
 * Where single pixels are not seen, or at qualities below `high`, a palette that loses this many times less leaves more to repetition,
 * which often saves more: at `low` 3% of 54 PNGs, at `medium` 1%.
 */
const FINER = 2;
/** If added colours do not save the small areas, the next palette has this many times the colours. */
const MORE_FOR_AREAS = 2;
/** Stands for the loss of a palette that fails because colours shift. */
const SHIFTED = 2;
const MAX_PART_TRIALS = 4;
/** Another strength is tried if the last one made an estimate smaller than this share of the one before. */
const WORTH_MORE = 0.96;
/** Most strengths of repetition that are tried. */
const MAX_TRIALS: Readonly<Record<Effort, number>> = { fast: 1, balanced: 5, max: 6 };

/** Returns the smallest palette image that passes. */
export function encodeWithPalette(
  work: PngImage,
  source: LossySource,
  quantiser: Quantiser,
  part: Pixels,
): PngDraft | undefined {
  const { stopwatch, isFitted } = work;
  const { guard: whole, pixels, kept } = source;
  let isHopeless = false;
  const judge = (candidate: IndexedImage): JudgedImage => {
    const verdict = whole.judge(candidate);
    const { changed } = verdict;
    if (!changed || isHopeless) return { image: candidate, ...verdict };
    const areas = { changed, find: (one: IndexedImage) => whole.findChanged(one), seen: whole.seen };
    const image = withAreaColours(candidate, pixels, kept, areas);
    if (image === candidate) return { image, ...verdict };
    const mended = whole.judge(image);
    // Other full palettes have no more room for the areas either, and trying takes long.
    isHopeless = mended.changed !== undefined && colourCount(candidate) >= quantiser.most;
    return { image, ...mended };
  };
  const guard = createGuard(work, part, work.size);
  let count = stopwatch.measure('search', () => fewestColours(work, quantiser, guard));
  while (count !== undefined && !isLate(work)) {
    const wanted = count;
    const exact = stopwatch.measure('search', () => quantiser.quantise(wanted));
    const image = isFitted ? withRareColours(exact, source.pixels, source.kept) : exact;
    const tried = stopwatch.measure('verify', () => judge(image));
    const isFull = count === quantiser.most;
    const refined = () => (isFull ? refine(work, source, tried, judge) : undefined);
    const passing = tried.passes ? tried : stopwatch.measure('search', refined);
    if (passing) {
      return stopwatch.measure('search', () => {
        const best = inFewerBytes(work, passing, source);
        const isStrict = work.density === 1 && source.guard.scale === 1;
        // A palette between takes fewer bytes than one with many colours for single areas.
        const between = Math.round(Math.sqrt(wanted * colourCount(passing.image)));
        const finest = isStrict ? between : Math.max(wanted + 1, between, improved(quantiser, wanted, FINER));
        if (finest <= wanted || isFull || isFitted || isLate(work)) return best;
        const finer = judge(quantiser.quantise(finest));
        const other = finer.passes ? inFewerBytes(work, finer, source) : best;
        return other.estimate < best.estimate ? other : best;
      });
    }
    if (isFull) return undefined;
    const next = tried.changed
      ? Math.min(count * MORE_FOR_AREAS, quantiser.most)
      : improved(quantiser, count, tried.loss > 1 ? tried.loss : CLOSE);
    count = Math.max(count + 1, next);
  }
  return undefined;
}

/** Returns about the least number of colours that passes for a part of the image; undefined if the whole seems to need more. */
export function fewestColours(
  context: Pick<Context, 'timeLimit'>,
  quantiser: Pick<Quantiser, 'least' | 'most' | 'errorOf' | 'quantisePart'>,
  guard: Pick<FidelityGuard, 'judge'>,
): number | undefined {
  const { least, most } = quantiser;
  let [fails, passes, count] = [least - 1, Infinity, countForError(quantiser, FIRST_ERROR)];
  for (let trial = 0; trial < MAX_PART_TRIALS; trial++) {
    if (isLate(context)) return undefined;
    const verdict = guard.judge(quantiser.quantisePart(count));
    const { loss } = verdict;
    // Rare colours are added to the whole.
    const isPassing = verdict.passes || verdict.changed !== undefined;
    const isFull = count === most;
    if (isPassing || isFull) passes = count;
    else fails = count;
    if (!isPassing && isFull && loss > MAX_FULL_LOSS) return undefined;
    const isFar = passes === Infinity && loss > MAX_LOSS_RATIO;
    const lost = isPassing || loss > 1 ? loss : lossOfShift(quantiser, fails, passes);
    const next = Math.min(Math.max(improved(quantiser, count, lost), fails + 1), passes - 1);
    count = isFar ? most : next;
    const isClose = passes < Infinity && quantiser.errorOf(fails) < quantiser.errorOf(passes) * CLOSE;
    if (isClose || passes - fails < 2 || (isPassing && loss >= ENOUGH_LOSS)) break;
  }
  return passes === Infinity ? count : passes;
}

type Errors = Pick<Quantiser, 'least' | 'most' | 'errorOf'>;

/** For a palette that fails because colours shift, not by its loss: leads halfway to the one that passes. */
function lossOfShift(quantiser: Errors, fails: number, passes: number) {
  return passes < Infinity ? Math.sqrt(quantiser.errorOf(fails) / quantiser.errorOf(passes)) : SHIFTED;
}

/** Returns the number of colours that is expected to lose just what it may: loss is about proportional to the mean squared error. */
function improved(quantiser: Errors, count: number, loss: number) {
  const factor = loss > 1 ? Math.max(CLOSE, loss) : Math.max(loss, 0.01);
  return countForError(quantiser, quantiser.errorOf(count) / factor);
}

function countForError({ least, most, errorOf }: Errors, error: number) {
  let count = least;
  while (count < most && errorOf(count) > error) count++;
  return count;
}

/** Returns the smallest of the image and its repetitions that pass. */
function inFewerBytes(work: PngImage, exact: JudgedImage, { guard, pixels, kept }: LossySource): PngDraft {
  let best = makeDraft(exact, work.codec);
  let passed: StrengthTrial = { strength: 0, loss: exact.loss };
  let failed: StrengthTrial | undefined;
  for (let trial = 0; trial < MAX_TRIALS[work.policy.effort]; trial++) {
    const strength = nextStrength(passed, failed, exact.loss, work.density);
    if (strength === undefined || strength <= passed.strength || isLate(work)) break;
    const repeated = withRepeatedMatches(pixels, exact.image, strength, kept.exact);
    const image = withAreasOf(exact.image, repeated, guard.findChanged(repeated), guard.seen);
    const tried = { image, ...guard.judge(image) };
    if (tried.passes) {
      const draft = makeDraft(tried, work.codec);
      const saves = draft.estimate < best.estimate * WORTH_MORE;
      if (draft.estimate < best.estimate) best = draft;
      if (!saves) break;
      passed = { strength, loss: tried.loss };
    } else {
      failed = { strength, loss: tried.loss };
    }
  }
  return best;
}

function makeDraft({ image, score }: JudgedImage, codec: PngCodec): PngDraft {
  const packing = smallerPacking(image);
  const { estimate } = packing;
  return { score, estimate, image, pack: (effort) => packIndexed(image, codec, effort, packing) };
}
