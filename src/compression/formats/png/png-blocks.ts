/** Metadata blocks of a PNG that is converted to or from another format. */
import { deflateSync } from 'node:zlib';
import {
  withCarriedTexts,
  decodedText,
  xmpDate,
  type CarriedText,
  type CarriedTexts,
} from '../carried-texts';
import type { EmbeddedBlocks } from '../embedded-blocks';
import { exifToKeep } from '../exif';
import { reshapedResolution, saysSomething, type WrittenMetadata } from '../reshaping';
import { xmpToKeep } from '../xmp-parts';
import { pngChunk, type PngChunk } from './png-chunks';
import {
  resolutionChunk,
  resolutionOfPng,
  exifOfPng,
  withChunks,
  xmpOfPng,
  partOfText,
} from './png-metadata';
import {
  xmpChunk,
  HARMLESS_KEYWORD,
  isText,
  isXmp,
  keywordOf,
  readText,
  isRawProfile,
  readRawProfile,
} from './png-text';
import { keepsPart, type KeptMetadata } from '../../domain/compression-policy';
import { iptcTexts } from '../jpeg/photoshop-resources';

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

/** More texts than any program writes; each may have to be inflated. */
const MAX_TEXTS = 32;

/** Returns the texts to keep when a PNG is converted to another format. */
function pngTexts(chunks: readonly PngChunk[], keep: KeptMetadata): CarriedTexts {
  const found = chunks
    .filter((chunk) => isText(chunk) && !isXmp(chunk))
    .filter((chunk) => keep === 'all' || isRawProfile(chunk) || isPartOf(chunk, keep));
  const read = found.slice(0, MAX_TEXTS).map((chunk) => textsOf(chunk, keep));
  return {
    texts: read.flatMap(({ texts }) => texts),
    hasMore: found.length > MAX_TEXTS || read.some(({ hasMore }) => hasMore),
  };
}

function isPartOf(chunk: PngChunk, keep: KeptMetadata): boolean {
  const part = partOfText(chunk);
  return part !== undefined && keepsPart(keep, part);
}

function textsOf(chunk: PngChunk, keep: KeptMetadata): CarriedTexts {
  if (isRawProfile(chunk)) {
    const profile = readRawProfile(chunk);
    return profile?.kind === 'resources' ? iptcTexts(profile.block, keep) : { texts: [], hasMore: false };
  }
  const keyword = keywordOf(chunk);
  const part = partOfText(chunk);
  if (!part) return { texts: [], hasMore: !HARMLESS_KEYWORD.test(keyword) };
  const text = readText(chunk);
  const written = text && decodedText(text.value);
  const value = written && part === 'creation' ? xmpDate(written) : written;
  if (!value) return { texts: [], hasMore: written !== '' };
  return { texts: [{ property: propertyOf(keyword), value }], hasMore: false };
}

function propertyOf(keyword: string): CarriedText['property'] {
  if (/copyright$/i.test(keyword)) return 'dc:rights';
  return /time$/i.test(keyword) ? 'xmp:CreateDate' : 'dc:creator';
}
