/** Where the 8×8 blocks of a JPEG lie once its EXIF orientation has turned it. */
import type { Dimensions, Orientation, Position } from '../dimensions';

const BLOCK = 8;
const MIRRORED_ACROSS: readonly Orientation[] = [2, 3, 6, 7];
const MIRRORED_DOWN: readonly Orientation[] = [3, 4, 7, 8];

/** The first corner of four blocks: a side that is no multiple of 8 has its broken blocks first when it is mirrored. */
export function blockOrigin(upright: Dimensions, orientation: Orientation): Position {
  return {
    left: MIRRORED_ACROSS.includes(orientation) ? upright.width % BLOCK : 0,
    top: MIRRORED_DOWN.includes(orientation) ? upright.height % BLOCK : 0,
  };
}

/** Half a block from there: as far from the grid as can be. */
export function acrossBlocks({ left, top }: Position): Position {
  return { left: (left + BLOCK / 2) % BLOCK, top: (top + BLOCK / 2) % BLOCK };
}
