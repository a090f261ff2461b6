/** Metadata that any format can hold. */
import type { Resolution } from './reshaping';

export interface EmbeddedBlocks {
  /** An ICC profile. */
  readonly icc?: Uint8Array;
  /** A TIFF block, without the prefix `Exif\0\0` of JPEG. */
  readonly exif?: Uint8Array;
  /** An XMP packet as UTF-8. */
  readonly xmp?: Uint8Array;
  /** For formats with a field for it; the others state it in EXIF if they have EXIF. */
  readonly resolution?: Resolution;
}

export const BLOCK_NAMES = ['icc', 'exif', 'xmp'] as const;
export type BlockName = (typeof BLOCK_NAMES)[number];

/** Returns the names of the blocks that are present. */
export function blocksOf(blocks: EmbeddedBlocks): BlockName[] {
  return BLOCK_NAMES.filter((name) => blocks[name] !== undefined);
}
