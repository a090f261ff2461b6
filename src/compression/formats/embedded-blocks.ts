/** Metadata blocks that a file of any format can hold. */
export interface EmbeddedBlocks {
  /** An ICC profile. */
  readonly icc?: Uint8Array;
  /** A TIFF block, without the prefix `Exif\0\0` of JPEG. */
  readonly exif?: Uint8Array;
  /** An XMP packet as UTF-8. */
  readonly xmp?: Uint8Array;
}

export type BlockName = keyof EmbeddedBlocks;
export const BLOCK_NAMES: readonly BlockName[] = ['icc', 'exif', 'xmp'];

/** Returns the names of the blocks that there are. */
export function blocksOf(blocks: EmbeddedBlocks): BlockName[] {
  return BLOCK_NAMES.filter((name) => blocks[name] !== undefined);
}
