/**
 * What a source JPEG has lost already is not lost again. A file whose own quality setting costs about as much as the
 * target allows has nothing more to give: coding it anew would add a second loss to the first.
 */

/** What a file tells about how it was saved. */
export interface SavedQuality {
  /** On the scale of our own encoder, 1..100. */
  readonly quality: number;
  /** Its quantisation table is exactly that of our own encoder at this quality. */
  readonly isOurTable: boolean;
}

/**
 * Share of the allowed loss at which a file counts as spent. What this service delivers lies between 0.75 and 1; a
 * file with our own table is therefore taken for one of ours from well below that on, so that a second pass returns
 * it byte for byte. Of other encoders' files only those are spent that have no step left.
 */
const SPENT_BY_OUR_ENCODER = 0.6;
const SPENT_BY_ANOTHER = 0.9;

/**
 * @param ownLoss relative loss (1 = all that the target allows) that the file's own quality causes on its picture
 */
export function isSpent({ isOurTable }: SavedQuality, ownLoss: number): boolean {
  return ownLoss >= (isOurTable ? SPENT_BY_OUR_ENCODER : SPENT_BY_ANOTHER);
}
