/**
 * The palette stage of the PNG recipe: at most 256 colours, if the guard sees no difference. The rest of the allowed
 * loss is spent on indices that repeat earlier ones, which deflate in fewer bytes.
 */
import type { Effort } from '../../domain/compression-policy';
import { FidelityGuard, type Verdict } from '../../domain/fidelity-guard';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { withRepeatedMatches } from '../../domain/palette/repeat-matches';
import { nextStrength, type StrengthTrial } from '../../domain/palette/strength-search';
import type { Pixels } from '../../domain/pixels';
import type { PngCodec } from '../codecs.port';
import type { PngDraft, LossySource } from './png-draft';
import type { PngWork } from './png-work';
import { packIndexed, smallerPacking } from './png-indexed-packing';

/** Palette qualities to try, in this order, until one passes: see PngCodec.quantise. */
const QUALITIES: Readonly<Record<Effort, readonly number[]>> = {
  fast: [95],
  balanced: [95, 100],
  max: [80, 90, 95, 100],
};
/** If a part of the image at PROBING_QUALITY loses no more than this, the whole usually passes at COARSE_QUALITY. */
const COARSE_QUALITY = 80;
const PROBING_QUALITY = 90;
const SUITS_COARSE = 0.45;
/** If the loss at PROBING_QUALITY or above is this many times what is allowed, no finer palette passes. */
const HOPELESS = 3;
/**
 * A part of an image needs fewer colours than the whole. If 256 colours leave more than this share of the allowed loss
 * on an eighth of the image, they fail on the whole. All measured photos had 0.6 and more; images that suit a palette
 * had 0.4 at most.
 */
const HOPELESS_PART = 0.5;
const FINEST = 100;
/** Trials of the strength of repeated matches. */
const MAX_TRIALS: Readonly<Record<Effort, number>> = { fast: 1, balanced: 3, max: 6 };

/** Returns the palette qualities to try, decided on an eighth of the image; none if no palette passes. */
export async function suitablePaletteQualities(
  { codec, policy: { targetScore, effort } }: PngWork,
  part: Pixels,
): Promise<readonly number[]> {
  const guard = new FidelityGuard(part, targetScore);
  const lossAt = async (paletteQuality: number) => {
    const quantised = await codec.quantise(part, paletteQuality, 'fast');
    return quantised ? guard.judge(quantised).loss : Infinity;
  };
  const probed = await lossAt(PROBING_QUALITY);
  if (probed <= SUITS_COARSE && effort === 'balanced') return [COARSE_QUALITY, ...QUALITIES[effort]];
  const isHopeless = probed > HOPELESS_PART && (await lossAt(FINEST)) > HOPELESS_PART;
  return isHopeless ? [] : QUALITIES[effort];
}

interface Passing extends Verdict {
  readonly image: IndexedImage;
}

/** Returns the first palette that passes the guard, with effort `max` the smallest one; undefined if none passes. */
export async function encodeWithPalette(
  { codec, policy: { effort }, stopwatch }: PngWork,
  source: LossySource,
  paletteQualities: readonly number[],
): Promise<PngDraft | undefined> {
  let best: PngDraft | undefined;
  for (const paletteQuality of paletteQualities) {
    const image = await stopwatch.time('search', () => codec.quantise(source.pixels, paletteQuality, effort));
    if (!image) return best;
    const judge = (candidate: IndexedImage): Passing => ({
      image: candidate,
      ...source.guard.judge(candidate),
    });
    const tried = stopwatch.measure('verify', () => judge(image));
    if (tried.loss > HOPELESS && paletteQuality >= PROBING_QUALITY) return best;
    if (!tried.passes) continue;
    const draft = stopwatch.measure('search', () =>
      draftOf(inFewerBytes(tried, source.pixels, judge, MAX_TRIALS[effort]), codec, effort),
    );
    if (!best || draft.estimate < best.estimate) best = draft;
    if (effort !== 'max') return best;
  }
  return best;
}

/** Returns the indices with the strongest repetition that passes. */
function inFewerBytes(
  exact: Passing,
  source: Pixels,
  judge: (candidate: IndexedImage) => Passing,
  maxTrials: number,
): Passing {
  let best = exact;
  let passed: StrengthTrial = { strength: 0, loss: exact.loss };
  let failed: StrengthTrial | undefined;
  for (let trial = 0; trial < maxTrials; trial++) {
    const strength = nextStrength(passed, failed, exact.loss);
    if (strength === undefined || strength <= passed.strength) break;
    const tried = judge(withRepeatedMatches(source, exact.image, strength));
    if (tried.passes) {
      best = tried;
      passed = { strength, loss: tried.loss };
    } else {
      failed = { strength, loss: tried.loss };
    }
  }
  return best;
}

function draftOf({ image, score }: Passing, codec: PngCodec, effort: Effort): PngDraft {
  const packing = smallerPacking(image);
  const { estimate } = packing;
  return { score, estimate, image, pack: () => packIndexed(image, codec, effort, packing) };
}
