/** The metadata of a rewritten PNG. */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../../domain/compression-policy';
import type { Dimensions, Orientation } from '../../domain/dimensions';
import { text } from '../byte-reader';
import { exifToKeep } from '../exif';
import { xmpToKeep } from '../xmp-parts';
import { isCritical, pngChunk, SIGNATURE_BYTES, type PngChunk } from './png-chunks';
import { readPngStructure, type PngStructure } from './png-structure';

export const TEXT_CHUNKS = ['tEXt', 'zTXt', 'iTXt'];
/** What Android's build makes of a nine-patch's frame: where it stretches, its outline and its layout bounds. */
const NINE_PATCH_CHUNKS = ['npTc', 'npOl', 'npLb'];
/** Registered keywords (W3C PNG, 11.3.3.2). */
export const PART_OF_KEYWORD: ReadonlyMap<string, MetadataPart> = new Map([
  ['Author', 'copyright'],
  ['Copyright', 'copyright'],
  ['Creation Time', 'creation'],
]);
/** Prefix of XMP in iTXt: the keyword, a zero, no compression, empty language and translation. */
export const XMP_PREFIX = 'XML:com.adobe.xmp\0\0\0\0\0';

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

/**
 * Returns the metadata chunks of the source to add to the new file.
 * @param written which metadata to keep, and the size and orientation of the new pixels, which are upright by default
 */
export function keptChunks(
  { chunks }: Pick<PngStructure, 'chunks'>,
  written: {
    readonly keep: KeptMetadata;
    readonly dimensions: Dimensions;
    readonly orientation?: Orientation;
  },
): PngChunk[] {
  const now = { orientation: 1 as const, ...written };
  return chunks.flatMap((chunk) => {
    const { type, data } = chunk;
    if (type === 'eXIf') {
      const exif = exifToKeep(data, now);
      return exif ? [pngChunk('eXIf', exif)] : [];
    }
    if (isXmp(chunk)) {
      const xmp = xmpToKeep(data.subarray(XMP_PREFIX.length), now);
      return xmp ? [xmpChunk(xmp)] : [];
    }
    if (NINE_PATCH_CHUNKS.includes(type)) return [chunk];
    if (written.keep === 'all') return isIndependentOfPixels(chunk) ? [chunk] : [];
    const part = TEXT_CHUNKS.includes(type) ? PART_OF_KEYWORD.get(keywordOf(chunk)) : undefined;
    return part && keepsPart(written.keep, part) ? [chunk] : [];
  });
}

export function isCompiledNinePatch({ chunks }: Pick<PngStructure, 'chunks'>): boolean {
  return chunks.some(({ type }) => type === 'npTc');
}

/** Returns the chunks without those of a compiled nine-patch, which are wrong once it is scaled. */
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
function isIndependentOfPixels(chunk: PngChunk): boolean {
  const isSafeToCopy = chunk.type.charCodeAt(3) >= 0x60;
  return !isCritical(chunk) && (isSafeToCopy || chunk.type === 'tIME');
}

export function keywordOf({ data }: PngChunk): string {
  return text(data, 0, Math.max(0, data.subarray(0, 80).indexOf(0)));
}

export function xmpChunk(packet: Uint8Array): PngChunk {
  return pngChunk('iTXt', Buffer.concat([Buffer.from(XMP_PREFIX, 'latin1'), packet]));
}

export function isXmp({ type, data }: PngChunk): boolean {
  return type === 'iTXt' && text(data, 0, XMP_PREFIX.length) === XMP_PREFIX;
}
