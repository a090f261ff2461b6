/** Where the blocks of a JPEG begin in its upright image. */
import type { Dimensions, Orientation, Position } from '../dimensions';

const BLOCK = 8;
const MIRRORED_ACROSS: readonly Orientation[] = [2, 3, 6, 7];
const MIRRORED_DOWN: readonly Orientation[] = [3, 4, 7, 8];

/**
 * Returns the first corner of the grid of the 8×8 blocks of a JPEG after its orientation is applied. If a mirrored side is not a
 * multiple of 8, its partial blocks come first.
 */
export function blockOrigin(upright: Dimensions, orientation: Orientation): Position {
  return {
    left: MIRRORED_ACROSS.includes(orientation) ? upright.width % BLOCK : 0,
    top: MIRRORED_DOWN.includes(orientation) ? upright.height % BLOCK : 0,
  };
}

/** Returns the position half a block away, which is farthest from the grid. */
export function offGridOrigin({ left, top }: Position): Position {
  return { left: (left + BLOCK / 2) % BLOCK, top: (top + BLOCK / 2) % BLOCK };
}
