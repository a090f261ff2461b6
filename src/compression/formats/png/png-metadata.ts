/** The metadata of a rewritten PNG. */
import { keepsPart, type MetadataPart } from '../../domain/compression-policy';
import { exifToKeep } from '../exif';
import {
  reshapedResolution,
  saysSomething,
  physicalSize,
  type Resolution,
  isReshaped,
  type WrittenMetadata,
} from '../reshaping';
import { xmpToKeep } from '../xmp-parts';
import { isCritical, pngChunk, SIGNATURE_BYTES, type PngChunk } from './png-chunks';
import { readPngStructure, type PngStructure } from './png-structure';
import {
  isText,
  isXmp,
  keywordOf,
  readText,
  withValue,
  isRawProfile,
  readRawProfile,
  updatedRawProfile,
} from './png-text';
import { uint32 } from '../byte-reader';

/** Chunks that Android's build makes from the frame of a nine-patch: stretch areas, outline and layout bounds. */
const NINE_PATCH_CHUNKS = ['npTc', 'npOl', 'npLb'];
/** Text keywords by part of the metadata; the last form is ImageMagick's copy of EXIF. */
const KEYWORDS: readonly (readonly [RegExp, MetadataPart])[] = [
  [/^(?:author|artist|copyright|exif:(?:artist|copyright))$/i, 'copyright'],
  [/^creation time$/i, 'creation'],
];
/** Readers use only the first of these chunks. */
const SINGLE = ['eXIf', 'pHYs'];
/** Positions and sizes in pixels: W3C PNG extensions, and ImageMagick's canvas. */
const IN_PIXELS = ['oFFs', 'vpAg', 'caNv'];

export function partOfText(chunk: PngChunk): MetadataPart | undefined {
  const keyword = isText(chunk) ? keywordOf(chunk) : '';
  return KEYWORDS.find(([pattern]) => pattern.test(keyword))?.[1];
}

/** Returns the file with only the chunks that its pixels need: critical chunks, transparency and meaningful colour chunks. */
export function withoutMetadata(bytes: Uint8Array, { chunks, colourChunks }: PngStructure): Uint8Array {
  const kept = chunks.filter(
    (chunk) => isCritical(chunk) || chunk.type === 'tRNS' || colourChunks.includes(chunk),
  );
  return Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...kept.map(({ raw }) => raw)]);
}

/** Returns a newly encoded PNG with the colour chunks of its source inserted after the header. */
export function withColourChunks(png: Uint8Array, colourChunks: readonly PngChunk[]): Uint8Array {
  if (colourChunks.length === 0) return png;
  const structure = readPngStructure(png);
  const [header, ...rest] = structure.chunks;
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    header.raw,
    ...colourChunks.map(({ raw }) => raw),
    ...rest.filter((chunk) => !structure.colourChunks.includes(chunk)).map(({ raw }) => raw),
  ]);
}

/** Returns the metadata chunks of the source to add to the new file. */
export function keptChunks({ chunks }: Pick<PngStructure, 'chunks'>, written: WrittenMetadata): PngChunk[] {
  return [...keptOfEach(chunks, written).values()].flat();
}

/** Returns the kept form of each metadata chunk, in order. */
export function keptOfEach(
  chunks: readonly PngChunk[],
  written: WrittenMetadata,
): Map<PngChunk, readonly PngChunk[]> {
  const exif = exifChunk(chunks);
  const seen = new Set<string>();
  return new Map(
    chunks.map((chunk) => {
      const isSingle = isXmp(chunk) || isRawProfile(chunk) || SINGLE.includes(chunk.type);
      const name = chunk.type + (isText(chunk) ? keywordOf(chunk) : '');
      const isRepeated = isSingle && seen.has(name);
      seen.add(name);
      const isUsed = !isRepeated && (written.keep === 'all' || !isRawProfile(chunk) || chunk === exif);
      return [chunk, isUsed ? keptOf(chunk, written) : []];
    }),
  );
}

/** Returns the chunk whose EXIF readers use: eXIf, or the first text chunk with EXIF. */
function exifChunk(chunks: readonly PngChunk[]): PngChunk | undefined {
  return (
    chunks.find(({ type }) => type === 'eXIf') ??
    chunks.find((chunk) => isRawProfile(chunk) && /exif|app1/i.test(keywordOf(chunk)))
  );
}

/** Returns the EXIF block of a PNG; undefined if there is none. */
export function exifOfPng(chunks: readonly PngChunk[]): Uint8Array | undefined {
  const chunk = exifChunk(chunks);
  if (!chunk || chunk.type === 'eXIf') return chunk?.data;
  const profile = readRawProfile(chunk);
  return profile?.kind === 'exif' ? profile.block : undefined;
}

/** Returns the XMP packet of a PNG, even if it is stored as text; undefined if there is none. */
export function xmpOfPng(chunks: readonly PngChunk[]): Uint8Array | undefined {
  const packet = chunks.find(isXmp);
  if (packet) return readText(packet)?.value;
  const chunk = chunks.find((one) => isRawProfile(one) && /xmp$/i.test(keywordOf(one)));
  return chunk && readRawProfile(chunk)?.block;
}

/** Returns the kept part of a chunk; if only parts are kept, it is no longer than the chunk. */
function keptOf(chunk: PngChunk, written: WrittenMetadata): PngChunk[] {
  const { type, data } = chunk;
  const keepsAll = written.keep === 'all';
  if (type === 'eXIf') {
    const exif = exifToKeep(data, written);
    return exif ? [pngChunk('eXIf', exif)] : [];
  }
  if (type === 'pHYs') return keptResolution(chunk, written);
  if (isXmp(chunk)) return keptXmp(chunk, written);
  if (NINE_PATCH_CHUNKS.includes(type)) return [chunk];
  if (isRawProfile(chunk))
    return keepsAll ? updatedRawProfile(chunk, written) : partsOfRawExif(chunk, written);
  if (keepsAll) return isStillTrue(chunk, written) ? [chunk] : [];
  const part = partOfText(chunk);
  return part && keepsPart(written.keep, part) ? [chunk] : [];
}

function keptResolution(chunk: PngChunk, { keep, reshaped }: WrittenMetadata): PngChunk[] {
  const resolution = resolutionOfPng([chunk]);
  if (!resolution || !saysSomething(resolution)) return keep === 'all' ? [chunk] : [];
  return [resolutionChunk(reshapedResolution(resolution, reshaped))];
}

function keptXmp(chunk: PngChunk, written: WrittenMetadata): PngChunk[] {
  const text = readText(chunk);
  const xmp = text && xmpToKeep(text.value, written);
  const kept = xmp && withValue(chunk, text, xmp);
  return kept && (written.keep === 'all' || kept.raw.length <= chunk.raw.length) ? [kept] : [];
}

/** Returns the kept parts of EXIF that is stored as text, in a separate chunk. */
function partsOfRawExif(chunk: PngChunk, written: WrittenMetadata): PngChunk[] {
  if (written.keep === 'none') return [];
  const profile = readRawProfile(chunk);
  const exif =
    profile?.kind === 'exif' ? exifToKeep(profile.block, { ...written, orientation: 1 }) : undefined;
  const kept = exif && pngChunk('eXIf', exif);
  return kept && kept.raw.length <= chunk.raw.length ? [kept] : [];
}

/** Returns the chunks except those of a compiled nine-patch, which are wrong after scaling. */
export function withoutNinePatch({ chunks }: Pick<PngStructure, 'chunks'>): Pick<PngStructure, 'chunks'> {
  return { chunks: chunks.filter(({ type }) => !NINE_PATCH_CHUNKS.includes(type)) };
}

/** Returns the PNG with chunks inserted after its header. */
export function withChunks(png: Uint8Array, chunks: readonly PngChunk[]): Uint8Array {
  if (chunks.length === 0) return png;
  const behind = SIGNATURE_BYTES + readPngStructure(png).chunks[0].raw.length;
  return Buffer.concat([png.subarray(0, behind), ...chunks.map(({ raw }) => raw), png.subarray(behind)]);
}

/** Returns whether the chunk stays valid when pixels change: its type ends in lower case, or it is the time. */
function isStillTrue(chunk: PngChunk, { reshaped }: WrittenMetadata): boolean {
  if (isReshaped(reshaped) && IN_PIXELS.includes(chunk.type)) return false;
  const isSafeToCopy = chunk.type.charCodeAt(3) >= 0x60;
  return !isCritical(chunk) && (isSafeToCopy || chunk.type === 'tIME');
}

/** The chunk of the resolution (pHYs, W3C PNG 11.3.4.3): its length, and its units by number. */
const PHYS_BYTES = 9;
const PHYS_UNITS: readonly Resolution['unit'][] = ['aspect', 'metre'];

/** Returns the resolution that a PNG states; undefined if it states none. */
export function resolutionOfPng(chunks: readonly PngChunk[]): Resolution | undefined {
  const data = chunks.find(({ type }) => type === 'pHYs')?.data;
  if (data?.length !== PHYS_BYTES) return undefined;
  const [x, y, unit] = [uint32(data, 0), uint32(data, 4), PHYS_UNITS.at(data[PHYS_BYTES - 1])];
  return unit && x && y ? { unit, x, y } : undefined;
}

export function resolutionChunk(resolution: Resolution): PngChunk {
  const [x, y, unit] = physicalSize(resolution);
  const data = Buffer.alloc(PHYS_BYTES);
  data.writeUInt32BE(x, 0);
  data.writeUInt32BE(y, 4);
  data[PHYS_BYTES - 1] = unit;
  return pngChunk('pHYs', data);
}
