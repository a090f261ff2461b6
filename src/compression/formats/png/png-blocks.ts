/** Metadata blocks of a PNG that is converted to or from another format. */
import { deflateSync } from 'node:zlib';
import { withCarriedTexts } from '../carried-texts';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { exifToKeep } from '../exif';
import { reshapedResolution, saysSomething } from '../resolution';
import type { WrittenMetadata } from '../reshaping';
import { xmpToKeep } from '../xmp-parts';
import { pngChunk, type PngChunk } from './png-chunks';
import { resolutionChunk, resolutionOfPng } from './png-resolution';
import { exifOfPng, withChunks, xmpOfPng } from './png-metadata';
import { xmpChunk } from './png-text';
import { pngTexts } from './png-texts';

/** A profile name, and the compression method 0 (W3C PNG, 11.3.2.3). */
const PROFILE_PREFIX = Buffer.from('profile\0\0', 'latin1');

/** Returns the PNG with these blocks: iCCP, pHYs, eXIf and iTXt chunks after its header. */
export function pngWithBlocks(png: Uint8Array, { icc, exif, xmp, resolution }: EmbeddedBlocks): Uint8Array {
  return withChunks(png, [
    ...(icc ? [pngChunk('iCCP', Buffer.concat([PROFILE_PREFIX, deflateSync(icc)]))] : []),
    ...(resolution ? [resolutionChunk(resolution)] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [xmpChunk(xmp)] : []),
  ]);
}

/** Returns the metadata that the image keeps in another format, and whether they are complete. */
export function pngBlocks(chunks: readonly PngChunk[], written: WrittenMetadata) {
  const stated = resolutionOfPng(chunks);
  const resolution = stated && reshapedResolution(stated, written.reshaped);
  const exif = exifToKeep(exifOfPng(chunks), { ...written, resolution });
  const packet = xmpOfPng(chunks);
  const xmp = packet && xmpToKeep(packet, written);
  const blocks = {
    ...(exif ? { exif } : {}),
    ...(xmp ? { xmp } : {}),
    ...(resolution && saysSomething(resolution) ? { resolution } : {}),
  };
  return withCarriedTexts(blocks, pngTexts(chunks, written.keep));
}
