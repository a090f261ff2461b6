/** Metadata blocks that a file of any format can hold. */
export interface EmbeddedBlocks {
  /** An ICC profile. */
  readonly icc?: Uint8Array;
  /** A TIFF block, without the prefix `Exif\0\0` of JPEG. */
  readonly exif?: Uint8Array;
  /** An XMP packet as UTF-8. */
  readonly xmp?: Uint8Array;
}
