/** Decides whether an upload has an earlier, coarser coding than its file declares. */

/** A coding at this quality (libjpeg's 90) or above has lost too little to limit another encode. */
const FINEST_QUALITY = 94;
/** An upload at this quality (libjpeg's 88) or above may hide a coarser former coding; below, the last coding is as coarse. */
const FINE_QUALITY = 92;
/**
 * Encoding an image with the tables of its former coding loses little: at most this share of the loss off the grid. A texture
 * that only resembles a former coding loses the same on and off the grid.
 */
const MAX_LOSS_BACK = 0.6;

/** Returns whether a coding at this quality, 1..100 on jpegli's scale, has lost enough to limit another encode. */
export function hasLostSomething(quality: number): boolean {
  return quality < FINEST_QUALITY;
}

/** Returns whether a file at this quality, 1..100 on jpegli's scale, may hide a coarser former coding. */
export function mayHideFormerCoding(quality: number): boolean {
  return quality >= FINE_QUALITY;
}

/**
 * Returns whether trial encodes confirm a suspected former coding.
 * @param onGrid loss (1 − score) with its tables on the block grid of the upload; undefined if it could not be measured
 * @param offGrid the same half a block away from the grid
 */
export function isFormerCoding(onGrid: number | undefined, offGrid: number): boolean {
  return (onGrid ?? 0) <= MAX_LOSS_BACK * offGrid;
}
