/**
 * What a source JPEG has lost already is not lost again: a file that was saved at 0.7 of the allowed loss may lose
 * another 0.71 in 4:4:4, 0.51 in 4:2:0, and one whose own quality costs about all of it has nothing more to give.
 */
import type { ChromaMode } from '../search/chroma-choice';
import type { ChromaSubsampling } from '../pixels';
import { usualQuality } from '../search/quality-curve';
import type { SavedQuality } from './saved-quality';

/**
 * The loss that a file's quality caused ÷ the loss that coding its picture at that quality causes once more, across
 * its blocks: the picture is smoother now, and halved chroma cannot be halved again (medians of 29 images, saved by
 * libjpeg and MozJPEG at 80 to 95; within 0.8 and 1.35 times these for eight in ten).
 */
const ONCE_MORE: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 1.35, '4:4:4': 1.1 };
/** Share of the allowed loss at which a file counts as spent: hardly a step is left. */
const SPENT = 0.9;
/**
 * The same for a file with our own table, which is then taken for one of ours, so that a second pass returns it byte
 * for byte. What this service delivers has lost 0.85 to 1, but coding it once more can show much less of that: noise
 * that is gone is not lost again.
 */
const SPENT_BY_OUR_ENCODER = 0.45;
/** At a quality where our search would end for most pictures, this much is enough. */
const SPENT_AT_OUR_QUALITY = 0.15;

/**
 * The power by which the losses of two codings add up: independent errors do by their squares, but chroma that is halved
 * twice is blurred twice, in the same places (fitted on 33 images, saved at 90 and 95 and searched once more).
 */
const ADDING_POWER: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 1.4, '4:4:4': 2 };
/** Above this quality no encoder but a search of our own, which ends below, has lost anything that counts. */
const FINEST_QUALITY = 96;
/** One and a half blocks: there is no room to cut a narrower picture off its grid, and it says nothing of its history. */
const SMALLEST_SIDE_PX = 12;

/**
 * How much of the allowed loss is left for another coding, 0..1; 0 when the file is spent. Looks at the sample at the
 * qualities of the file, across the blocks that it was coded in.
 * @param codings that the file has been through, its own first
 * @param mode the file's own chroma mode
 */
export async function remainingLoss(
  codings: readonly SavedQuality[],
  mode: ChromaMode,
  targetScore: number,
  shorterSidePx: number,
): Promise<number> {
  const { chroma, curve } = mode;
  const allowed = 1 - targetScore;
  const power = ADDING_POWER[chroma];
  let spent = 0;
  for (const coding of codings) {
    const { quality, isOurTable } = coding;
    if (quality > FINEST_QUALITY) continue;
    if (isOurTable && shorterSidePx < SMALLEST_SIDE_PX) return 0;
    const again = await (isOurTable ? curve.look(quality) : curve.draft(quality));
    const lost = (again / allowed) * ONCE_MORE[chroma];
    spent += lost ** power;
    if (lost >= limitOf(coding, allowed) || spent >= SPENT ** power) return 0;
  }
  return (1 - spent) ** (1 / power);
}

/** The share of the allowed loss at which this file counts as spent. */
function limitOf({ quality, isOurTable }: SavedQuality, allowedLoss: number): number {
  if (!isOurTable) return SPENT;
  const isOurQuality = quality <= usualQuality(allowedLoss * SPENT_BY_OUR_ENCODER);
  return isOurQuality ? SPENT_AT_OUR_QUALITY : SPENT_BY_OUR_ENCODER;
}
