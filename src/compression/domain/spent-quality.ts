/**
 * What a source JPEG has lost already is not lost again. Losses of two codings add up like independent errors do, by
 * their squares: a file that was saved at 0.7 of the allowed loss may lose another 0.71, and one whose own quality
 * costs about all of it has nothing more to give.
 */
import type { ChromaSubsampling } from './pixels';

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
/**
 * Share of the allowed loss at which a file counts as spent. What this service delivers lies between 0.85 and 1; a
 * file with our own table is therefore taken for one of ours from well below that on, so that a second pass returns
 * it byte for byte. Of other encoders' files those are spent that have hardly a step left.
 */
const SPENT_BY_OUR_ENCODER = 0.6;
const SPENT_BY_ANOTHER = 0.9;

/**
 * How much of the allowed loss is left for another coding, 0..1; 0 when the file is spent.
 * @param lossOnceMore loss, in units of the allowed one, of coding the picture once more at the file's own quality,
 * across the blocks that it was coded in
 */
export function remainingLoss(
  { isOurTable }: SavedQuality,
  chroma: ChromaSubsampling,
  lossOnceMore: number,
): number {
  const spent = lossOnceMore * ONCE_MORE[chroma];
  if (spent >= (isOurTable ? SPENT_BY_OUR_ENCODER : SPENT_BY_ANOTHER)) return 0;
  return Math.sqrt(1 - spent * spent);
}
