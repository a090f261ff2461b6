/**
 * What a source JPEG has lost already is not lost again. Losses of two codings add up like independent errors do, by
 * their squares: a file that was saved at 0.7 of the allowed loss may lose another 0.71, and one whose own quality
 * costs about all of it has nothing more to give.
 */
import type { ChromaMode } from './chroma-choice';
import type { ChromaSubsampling } from './pixels';
import { usualQuality } from './quality-curve';

/** What a file tells about how it was saved. */
export interface SavedQuality {
  /** On the scale of our own encoder, 1..100. */
  readonly quality: number;
  /** Its quantisation table is exactly that of our own encoder at this quality. */
  readonly isOurTable: boolean;
}

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

/** Above this quality a look costs much and says little: it is taken here, and the line continued. */
const FINE_QUALITY = 92;
/** Above this one no encoder but a search of our own, which ends below, has lost anything that counts. */
const FINEST_QUALITY = 96;
/** Share of the allowed loss, foretold for a fine quality, that makes the look worth while. */
const SUSPICIOUS_LOSS = 0.25;
/** One and a half blocks: there is no room to cut a narrower picture off its grid, and it says nothing of its history. */
const SMALLEST_SIDE_PX = 12;

/**
 * How much of the allowed loss is left for another coding, 0..1; 0 when the file is spent. Looks at the sample at the
 * file's own quality, across the blocks that it was coded in.
 * @param mode the file's own chroma mode
 */
export async function remainingLoss(
  saved: SavedQuality,
  mode: ChromaMode,
  targetScore: number,
  shorterSidePx: number,
): Promise<number> {
  const { quality, isOurTable } = saved;
  const { chroma, curve } = mode;
  if (quality > FINEST_QUALITY) return 1;
  if (isOurTable && shorterSidePx < SMALLEST_SIDE_PX) return 0;
  const allowed = 1 - targetScore;
  await curve.look(Math.min(quality, FINE_QUALITY));
  const isSuspicious = curve.lossAt(quality) > allowed * SUSPICIOUS_LOSS;
  const lossOnceMore = isSuspicious ? await curve.look(quality) : curve.lossAt(quality);
  const spent = (lossOnceMore / allowed) * ONCE_MORE[chroma];
  return spent >= limitOf(saved, allowed) ? 0 : Math.sqrt(1 - spent * spent);
}

/** The share of the allowed loss at which this file counts as spent. */
function limitOf({ quality, isOurTable }: SavedQuality, allowedLoss: number): number {
  if (!isOurTable) return SPENT;
  const isOurQuality = quality <= usualQuality(allowedLoss * SPENT_BY_OUR_ENCODER);
  return isOurQuality ? SPENT_AT_OUR_QUALITY : SPENT_BY_OUR_ENCODER;
}
