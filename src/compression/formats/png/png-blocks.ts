/** Metadata blocks of a PNG that is made from an image of another format, and of a PNG that becomes one. */
import { deflateSync } from 'node:zlib';
import type { KeptMetadata } from '../../domain/compression-policy';
import type { Dimensions } from '../../domain/dimensions';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { exifToKeep } from '../exif';
import { xmpToKeep } from '../xmp-parts';
import { pngChunk, type PngChunk } from './png-chunks';
import { isXmp, withChunks, xmpChunk, XMP_PREFIX } from './png-metadata';

/** The name of a profile, and the compression method 0 (W3C PNG, 11.3.2.3). */
const PROFILE_PREFIX = Buffer.from('profile\0\0', 'latin1');

/** Returns the PNG with these blocks: iCCP, eXIf and iTXt chunks after its header. */
export function pngWithBlocks(png: Uint8Array, { icc, exif, xmp }: EmbeddedBlocks): Uint8Array {
  return withChunks(png, [
    ...(icc ? [pngChunk('iCCP', Buffer.concat([PROFILE_PREFIX, deflateSync(icc)]))] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [xmpChunk(xmp)] : []),
  ]);
}

/** Returns the EXIF and XMP blocks of a PNG that its image keeps in another format, upright and at a new size. */
export function pngBlocks(
  chunks: readonly PngChunk[],
  written: { readonly keep: KeptMetadata; readonly dimensions: Dimensions },
): EmbeddedBlocks {
  const now = { ...written, orientation: 1 as const };
  const exif = exifToKeep(chunks.find(({ type }) => type === 'eXIf')?.data, now);
  const xmp = chunks.find(isXmp);
  const packet = xmp && xmpToKeep(xmp.data.subarray(XMP_PREFIX.length), now);
  return { ...(exif ? { exif } : {}), ...(packet ? { xmp: packet } : {}) };
}
