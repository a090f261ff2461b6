/**
 * What a source JPEG has lost already is not lost again. Losses of two codings add up like independent errors do, by
 * their squares: a file that was saved at 0.7 of the allowed loss may lose another 0.71, and one whose own quality
 * costs about all of it has nothing more to give.
 */
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
 * its blocks: the picture is smoother now, and halved chroma cannot be halved again (medians of 21 images, saved by
 * libjpeg and MozJPEG at 80 to 95; within 0.8 and 1.3 times these for eight in ten).
 */
const ONCE_MORE: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 1.4, '4:4:4': 1.15 };
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
 * How much of the allowed loss is left for another coding, 0..1; 0 when the file is spent.
 * @param allowedLoss what the target allows, as a loss of score
 * @param lossOnceMore loss of score of coding the picture once more at the file's own quality, across the blocks that
 * it was coded in
 */
export function remainingLoss(
  { quality, isOurTable }: SavedQuality,
  chroma: ChromaSubsampling,
  allowedLoss: number,
  lossOnceMore: number,
): number {
  const spent = (lossOnceMore / allowedLoss) * ONCE_MORE[chroma];
  const isOurQuality = quality <= usualQuality(allowedLoss * SPENT_BY_OUR_ENCODER);
  const limit = !isOurTable ? SPENT : isOurQuality ? SPENT_AT_OUR_QUALITY : SPENT_BY_OUR_ENCODER;
  return spent >= limit ? 0 : Math.sqrt(1 - spent * spent);
}
