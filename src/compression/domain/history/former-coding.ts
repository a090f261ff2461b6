/** Decides whether an upload has an earlier, coarser coding than the one that its file declares. */

/** A coding at this quality (libjpeg's 90) or above has lost too little to limit a further pass. */
const FINEST_QUALITY = 94;
/**
 * At this quality (libjpeg's 88) and above, an upload may hide a coarser former coding. Below, the last coding is as
 * coarse.
 */
const FINE_QUALITY = 92;
/**
 * Encoding an image with the tables of its former coding loses little: at most this share of the loss off the grid. A
 * texture that only resembles a former coding loses as much on the grid as off it.
 */
const MAX_LOSS_BACK = 0.6;

/** Returns whether a coding at this quality, 1..100 on jpegli's scale, has lost enough to limit a further pass. */
export function hasLostSomething(quality: number): boolean {
  return quality < FINEST_QUALITY;
}

/** Returns whether a file at this quality, 1..100 on jpegli's scale, may hide a coarser former coding. */
export function mayHideFormerCoding(quality: number): boolean {
  return quality >= FINE_QUALITY;
}

/**
 * Returns whether trial encodes confirm a suspected former coding.
 * @param onGrid loss (1 − score) with its tables on the grid of the upload's blocks; undefined if that could not be tried
 * @param offGrid the same half a block away from the grid
 */
export function isFormerCoding(onGrid: number | undefined, offGrid: number): boolean {
  return (onGrid ?? 0) <= MAX_LOSS_BACK * offGrid;
}
