/** What stays of the chunks of a PNG: of a result, and of a file whose coded data stay as they are. */
import { deflateSync } from 'node:zlib';
import type { RemovedData } from '../../../contract/report-words';
import type { KeptMetadata } from '../../domain/compression-policy';
import { uint32, uint32s } from '../bytes';
import {
  convertedBlocks,
  keptBlocks,
  type ConvertedBlocks,
  type EmbeddedBlocks,
  type UploadBlocks,
} from '../embedded-blocks';
import { holdsMoreThan } from '../exif';
import {
  isReshaped,
  physicalSize,
  reshapedResolution,
  saysSomething,
  type Resolution,
  type WrittenMetadata,
} from '../reshaping';
import { namesRights, statesOnlySourceType, statesSourceType, type RightsSources } from '../rights';
import { FRAME_CHUNKS } from './png-animation';
import {
  bytesBehind,
  CHUNK_OVERHEAD,
  firstData,
  isCritical,
  isSound,
  pngChunk,
  pngOfChunks,
  SIGNATURE_BYTES,
  storedChunks,
  type PngChunk,
} from './png-chunks';
import { LOSSY_CHUNK, RESULT_CHUNK } from './png-result-marker';
import { readPngStructure, type PngStructure } from './png-structure';
import { isRawProfile, isText, isXmp, readKeyword, readRawProfile, readText, xmpChunk } from './png-text';

const HEADER_END = SIGNATURE_BYTES + CHUNK_OVERHEAD + 13;
/** Chunks that Android's build makes from the frame of a nine-patch: stretch areas, outline and layout bounds. */
export const NINE_PATCH_CHUNKS = ['npTc', 'npOl', 'npLb'];
/** Positions and sizes in pixels: nine-patches, W3C PNG extensions, and ImageMagick's canvas. */
const IN_PIXELS = [...NINE_PATCH_CHUNKS, 'oFFs', 'vpAg', 'caNv'];
const WRITTEN_ANEW = ['eXIf', 'pHYs'];
/** The manifest store of C2PA. */
export const CREDENTIALS = 'caBX';
/** More texts than any program writes; each may have to be inflated. */
export const MAX_TEXTS = 32;
/** A profile name, and the compression method 0 (W3C PNG, 11.3.2.3). */
const PROFILE_PREFIX = Buffer.from('profile\0\0', 'latin1');

export function withoutMetadata({ chunks, colourChunks }: PngStructure): Uint8Array {
  return pngOfChunks(
    chunks.filter((chunk) => isCritical(chunk) || chunk.type === 'tRNS' || colourChunks.includes(chunk)),
  );
}

export function withChunks(png: Uint8Array, chunks: readonly PngChunk[]): Uint8Array {
  if (chunks.length === 0) return png;
  return Buffer.concat([
    png.subarray(0, HEADER_END),
    ...chunks.map(({ raw }) => raw),
    png.subarray(HEADER_END),
  ]);
}

export function withColourChunks(png: Uint8Array, colourChunks: readonly PngChunk[]): Uint8Array {
  if (colourChunks.length === 0) return png;
  const { chunks, colourChunks: own } = readPngStructure(png);
  const [header, ...rest] = chunks.filter((chunk) => !own.includes(chunk));
  return pngOfChunks([header, ...colourChunks, ...rest]);
}

export function keptChunks(
  { chunks }: Pick<PngStructure, 'chunks'>,
  written: WrittenMetadata,
): { readonly chunks: PngChunk[]; readonly removed: readonly RemovedData[] } {
  const { keep, reshaped } = written;
  const isWhole = keep === 'all';
  const keepsProfiles = isWhole && !isReshaped(reshaped);
  const sources = sourcesIn(keepsProfiles ? chunks.filter((chunk) => !isRawProfile(chunk)) : chunks, keep);
  const { blocks, losesXmp } = keptBlocks(sources, { ...written, isConverted: false });
  const kept = chunks.filter((chunk) => {
    if (!isWhole && !NINE_PATCH_CHUNKS.includes(chunk.type)) return false;
    // One that cannot be read stays as it is.
    if (isXmp(chunk)) return !sources.xmp || blocks.xmp === sources.xmp;
    return isRawProfile(chunk) ? keepsProfiles : isStillTrue(chunk, written);
  });
  const stated = resolutionOfPng(chunks);
  const resolution = stated && (isWhole || saysSomething(stated)) ? stated : undefined;
  return {
    chunks: [
      ...kept,
      ...(resolution ? [resolutionChunk(reshapedResolution(resolution, reshaped))] : []),
      ...(blocks.exif ? [pngChunk('eXIf', blocks.exif)] : []),
      ...(blocks.xmp && !kept.some(isXmp) ? [xmpChunk(blocks.xmp)] : []),
    ],
    removed: losesXmp ? ['xmp-positions'] : [],
  };
}

function isStillTrue(chunk: PngChunk, { reshaped }: WrittenMetadata) {
  const { type } = chunk;
  if (WRITTEN_ANEW.includes(type) || (isReshaped(reshaped) && IN_PIXELS.includes(type))) return false;
  const isSafeToCopy = type.charCodeAt(3) >= 0x60;
  return !isCritical(chunk) && (isSafeToCopy || type === 'tIME');
}

/** @param keep without metadata to keep, only eXIf, which may declare colours, and what says how the image was made */
export function sourcesIn(chunks: readonly PngChunk[], keep: KeptMetadata): RightsSources {
  const exif = firstData(chunks, 'eXIf');
  const credentials = firstData(chunks, CREDENTIALS);
  const packet = chunks.find(isXmp);
  const profiles = chunks
    .filter(isRawProfile)
    .slice(0, MAX_TEXTS)
    .flatMap((chunk) => readRawProfile(chunk) ?? []);
  const find = (kind: 'exif' | 'xmp') => profiles.find((profile) => profile.kind === kind)?.block;
  const xmp = packet ? readText(packet) : find('xmp');
  if (keep === 'none') return { exif, xmp, credentials };
  const texts = chunks
    .filter((chunk) => isText(chunk) && namesRights(readKeyword(chunk)))
    .slice(0, MAX_TEXTS);
  return {
    exif: exif ?? find('exif'),
    xmp,
    credentials,
    resources: profiles.map(({ block }) => block),
    texts: texts.map((chunk) => ({
      keyword: readKeyword(chunk),
      value: readText(chunk) ?? new Uint8Array(),
    })),
  };
}

const NEEDED = ['tRNS', ...FRAME_CHUNKS, LOSSY_CHUNK, RESULT_CHUNK, ...NINE_PATCH_CHUNKS];
/** Chunks about colours and samples, and Apple's table for decoding: alone no reason to change a file. */
const OF_SAMPLES = 'gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST sPLT pHYs iDOT'.split(' ');

/** Returns undefined if there is nothing to remove. Chunks with a wrong checksum and bytes after the end are removed too. */
export function withoutForeignChunks(
  bytes: Uint8Array,
  structure: PngStructure,
  keep: KeptMetadata,
): Uint8Array | undefined {
  const { chunks, colourChunks, storedSize: dimensions, orientation } = structure;
  const stored = [...storedChunks(bytes)];
  const isEnded = stored.at(-1)?.type === 'IEND';
  const rest = bytesBehind(bytes);
  const colours = new Set(colourChunks.map(({ raw }) => raw.byteOffset));
  const isNeeded = (chunk: PngChunk) =>
    isCritical(chunk) || NEEDED.includes(chunk.type) || colours.has(chunk.raw.byteOffset);
  const bare = Buffer.concat([
    bytes.subarray(0, SIGNATURE_BYTES),
    ...stored.filter(isNeeded).map(({ raw }) => raw),
    ...(isEnded ? [] : [rest]),
  ]);
  const others = chunks.filter(({ type }) => !NEEDED.includes(type));
  const { chunks: added } = keptChunks({ chunks: others }, { keep, dimensions, orientation });
  const full = withChunks(bare, added);
  // EXIF names author and owner in fewer bytes; how the image was made is stated only in XMP.
  const lean = added.flatMap((chunk) => {
    if (!isXmp(chunk)) return [chunk];
    const packet = readText(chunk);
    return packet && statesSourceType(packet) ? [xmpChunk(packet, true)] : [];
  });
  const copy = full.length <= bytes.length ? full : withChunks(bare, lean);
  const isAdded = ({ raw }: PngChunk) => added.some((other) => Buffer.compare(other.raw, raw) === 0);
  const isForeign = (chunk: PngChunk) =>
    !isNeeded(chunk) && !isAdded(chunk) && (!isSound(chunk) || holdsMetadata(chunk, keep));
  const holdsMore = (isEnded && rest.some((byte) => byte !== 0)) || stored.some(isForeign);
  return holdsMore && copy.length <= bytes.length && Buffer.compare(copy, bytes) !== 0 ? copy : undefined;
}

function holdsMetadata(chunk: PngChunk, keep: KeptMetadata) {
  const { type, data } = chunk;
  if (isXmp(chunk)) return !statesOnlySourceType(readText(chunk) ?? new Uint8Array());
  return type === 'eXIf' ? holdsMoreThan(keep, data) : !OF_SAMPLES.includes(type);
}

export function pngBlocks(chunks: readonly PngChunk[], written: WrittenMetadata): ConvertedBlocks {
  const stated = resolutionOfPng(chunks);
  const isCarried = (chunk: PngChunk) =>
    isXmp(chunk) || isRawProfile(chunk) || namesRights(readKeyword(chunk));
  return convertedBlocks(sourcesIn(chunks, written.keep), {
    ...written,
    resolution: stated && reshapedResolution(stated, written.reshaped),
    hasMore: chunks.some((chunk) => isText(chunk) && !isCarried(chunk)),
  });
}

export function pngWithBlocks(
  png: Uint8Array,
  { icc, exif, xmp, resolution, credentials }: EmbeddedBlocks & UploadBlocks,
): Uint8Array {
  return withChunks(png, [
    ...(icc ? [pngChunk('iCCP', Buffer.concat([PROFILE_PREFIX, deflateSync(icc)]))] : []),
    ...(resolution ? [resolutionChunk(resolution)] : []),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [xmpChunk(xmp)] : []),
    ...(credentials ? [pngChunk(CREDENTIALS, credentials)] : []),
  ]);
}

/** pHYs (W3C PNG, 11.3.4.3): its length, and its units by number. */
const PHYS_BYTES = 9;
const PHYS_UNITS: readonly Resolution['unit'][] = ['aspect', 'metre'];

function resolutionOfPng(chunks: readonly PngChunk[]): Resolution | undefined {
  const data = firstData(chunks, 'pHYs');
  if (data?.length !== PHYS_BYTES) return undefined;
  const [x, y, unit] = [uint32(data, 0), uint32(data, 4), PHYS_UNITS.at(data[PHYS_BYTES - 1])];
  return unit && x && y ? { unit, x, y } : undefined;
}

function resolutionChunk(resolution: Resolution) {
  const [x, y, unit] = physicalSize(resolution);
  return pngChunk('pHYs', Buffer.of(...uint32s(x, y), unit));
}
