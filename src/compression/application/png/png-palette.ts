/** At most 256 colours. The rest of the allowed loss goes to repeating earlier indices, which deflate in fewer bytes. */
import type { Effort } from '../../domain/compression-policy';
import type { FidelityGuard } from '../../domain/fidelity-guard';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { withRareColours } from '../../domain/palette/rare-colours';
import { withRepeatedMatches, nextStrength, type StrengthTrial } from '../../domain/palette/repeat-matches';
import type { Pixels } from '../../domain/pixels';
import type { PngCodec } from '../codecs.port';
import type { PngDraft, LossySource, PngWork } from './png-work';
import { packIndexed, smallerPacking } from './png-codings';
import { FINEST, type Quantiser } from './png-quantiser';
import { refine, type JudgedImage } from './png-refinement';

/** The first quality that is tried on a part. */
const FIRST = 60;
const COARSEST = 3;
/** Strengths of dithering that are compared where single pixels are not seen. Elsewhere its noise costs more bytes than it saves. */
const DENSE_DITHERS = [0, 0.5];
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
const MAX_PART_TRIALS = 5;
/** Most strengths of repetition that are tried. */
const MAX_TRIALS: Readonly<Record<Effort, number>> = { fast: 1, balanced: 2, max: 6 };

export interface PaletteStart {
  readonly quality: number;
  /** Strength of dithering, 0..1. */
  readonly dither: number;
}

/** Returns the smallest palette for a part of the image; undefined if the whole seems to need more colours. */
export async function paletteStart(
  work: PngWork,
  part: Pixels,
  quantiser: Quantiser,
): Promise<PaletteStart | undefined> {
  const { size, density } = work;
  const guard = work.createGuard(part, size);
  if (density === 1) return findFewest(work, quantiser, guard, 0);
  const ways: { readonly start: PaletteStart; readonly estimate: number }[] = [];
  for (const dither of DENSE_DITHERS) {
    const start = await findFewest(work, quantiser, guard, dither);
    const image = start && (await quantiser.quantisePart(start.quality, dither));
    if (image) ways.push({ start, estimate: smallerPacking(image).estimate });
  }
  return ways.sort((a, b) => a.estimate - b.estimate).at(0)?.start;
}

async function findFewest(
  work: PngWork,
  quantiser: Quantiser,
  guard: FidelityGuard,
  dither: number,
): Promise<PaletteStart | undefined> {
  let [fails, passes, quality] = [COARSEST - 1, Infinity, FIRST];
  for (let trial = 0; trial < MAX_PART_TRIALS; trial++) {
    if (work.isLate()) return undefined;
    const image = await quantiser.quantisePart(quality, dither);
    if (!image) return undefined;
    const { passes: isPassing, loss } = guard.judge(image);
    const isFinest = quantiser.isFinest(quality, dither);
    if (isPassing || isFinest) passes = quality;
    else fails = quality;
    if (!isPassing && isFinest && loss > MAX_FULL_LOSS) return undefined;
    const isFar = passes === Infinity && loss > MAX_LOSS_RATIO;
    // Colours that shift may refute a palette of little loss.
    const hasShifted = !isPassing && loss <= 1;
    const next = hasShifted ? (quality + Math.min(passes, FINEST)) >> 1 : improved(quality, loss);
    quality = isFar ? FINEST : Math.min(Math.max(next, fails + 1), passes - 1, FINEST);
    const isClose = passes - fails < 2 || errorAt(fails) < errorAt(passes) * CLOSE;
    if (isClose || (isPassing && loss >= ENOUGH_LOSS)) break;
  }
  return { quality: passes === Infinity ? quality : passes, dither };
}

/** Returns the quality whose palette is expected to lose just what it may: loss is about proportional to the mean squared error. */
function improved(quality: number, loss: number): number {
  const wanted = errorAt(quality) / (loss > 1 ? Math.max(CLOSE, loss) : Math.max(loss, 0.01));
  let better = 1;
  while (better < FINEST && errorAt(better) > wanted) better++;
  return better;
}

/** The mean squared error that libimagequant 2 allows a palette, 0..1. */
function errorAt(quality: number): number {
  const extra = Math.max(0, 0.016 / (0.001 + quality) - 0.001);
  return extra + ((2.5 / (210 + quality) ** 1.2) * (100.1 - quality)) / 100;
}

export async function encodeWithPalette(
  work: PngWork,
  source: LossySource,
  quantiser: Quantiser,
  { quality: first, dither }: PaletteStart,
): Promise<PngDraft | undefined> {
  const { stopwatch, policy } = work;
  const judge = (candidate: IndexedImage): JudgedImage => ({
    image: candidate,
    ...source.guard.judge(candidate),
  });
  for (let quality = first; ;) {
    const exact = await stopwatch.time('search', () => quantiser.quantise(quality, dither));
    if (!exact) return undefined;
    const image = policy.fit ? withRareColours(exact, source.pixels, source.kept) : exact;
    const tried = stopwatch.measure('verify', () => judge(image));
    const isLast = quantiser.isFinest(quality, dither);
    const refined = () => (isLast ? refine(work, source, tried, judge) : undefined);
    const passing = tried.passes ? tried : stopwatch.measure('search', refined);
    if (passing) {
      return stopwatch.measure('search', () => inFewerBytes(work, passing, source, judge));
    }
    if (isLast || work.isLate()) return undefined;
    quality = Math.min(FINEST, Math.max(quality + 1, improved(quality, tried.loss > 1 ? tried.loss : CLOSE)));
  }
}

/** Returns the smallest of the image and its repetitions that pass. */
function inFewerBytes(
  work: PngWork,
  exact: JudgedImage,
  { pixels, kept }: LossySource,
  judge: (candidate: IndexedImage) => JudgedImage,
): PngDraft {
  let best = makeDraft(exact, work.codec);
  let passed: StrengthTrial = { strength: 0, loss: exact.loss };
  let failed: StrengthTrial | undefined;
  for (let trial = 0; trial < MAX_TRIALS[work.policy.effort]; trial++) {
    const strength = nextStrength(passed, failed, exact.loss, work.density);
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

function makeDraft({ image, score }: JudgedImage, codec: PngCodec): PngDraft {
  const packing = smallerPacking(image);
  const { estimate } = packing;
  return { score, estimate, image, pack: (effort) => packIndexed(image, codec, effort, packing) };
}
