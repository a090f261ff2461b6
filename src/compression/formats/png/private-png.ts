/**
 * Data that nobody sees in a PNG: private metadata, and layers that editors keep. Private metadata are EXIF, XMP, names, unknown
 * chunks, and bytes that no decoder reads, such as the remains of a larger image after the end; they are removed without touching the
 * coded data. Resolution, comments and file dates alone are no reason to change a file.
 */
import { keepsPart, type KeptMetadata } from '../../domain/compression-policy';
import { text, uint32 } from '../byte-reader';
import { isPrivateExif } from '../private-exif';
import { FRAME_CHUNKS } from './png-animation';
import { CHUNK_OVERHEAD, isCritical, SIGNATURE_BYTES, type PngChunk } from './png-chunks';
import { keptChunks, keptOfEach, partOfText } from './png-metadata';
import { LOSSY_CHUNK, RESULT_CHUNK } from './png-result-marker';
import { HARMLESS_KEYWORD, isText, keywordOf } from './png-text';
import type { PngStructure } from './png-structure';

/** Without these the image or its frames look different; the last two mark results. */
const NEEDED = ['tRNS', ...FRAME_CHUNKS, LOSSY_CHUNK, RESULT_CHUNK];
/** Colours, resolution, position, palettes, the date of the file; Android's nine-patches, Apple's table for decoding. */
const HARMLESS = new Set(
  'gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST sPLT pHYs sCAL pCAL oFFs sTER tIME vpAg orNT npTc npOl npLb iDOT'.split(
    ' ',
  ),
);

type KeptWords = Exclude<KeptMetadata, 'all'>;

/**
 * Returns the file without private metadata; undefined if it has none. Everything else that a rewrite removes is removed too;
 * orientation and colours stay.
 */
export function withoutPrivateChunks(
  bytes: Uint8Array,
  structure: PngStructure,
  keep: KeptWords,
): Uint8Array | undefined {
  const { storedSize: dimensions, orientation, colourChunks } = structure;
  const { stored, rest, isEnded } = readStored(bytes);
  const sound = new Map(structure.chunks.map((chunk) => [chunk.raw.byteOffset, chunk]));
  const keptPieces = keptOfEach(structure.chunks, { keep, dimensions, orientation });
  let isPrivate = isEnded && rest.some((byte) => byte !== 0);
  const kept = stored.flatMap((raw) => {
    const type = text(raw, 4, 8);
    const chunk = sound.get(raw.byteOffset);
    if (isCritical({ type }) || NEEDED.includes(type)) return [raw];
    // No program reads a chunk with a wrong checksum, but its text is there.
    if (!chunk) isPrivate = true;
    if (!chunk || colourChunks.includes(chunk)) return chunk ? [raw] : [];
    const pieces = (keptPieces.get(chunk) ?? []).map((piece) => piece.raw);
    const isSettled = pieces.some((piece) => Buffer.compare(piece, raw) === 0);
    if (!isSettled && isPrivateChunk(chunk, keep)) isPrivate = true;
    return pieces;
  });
  const end = isEnded ? [] : [rest];
  return isPrivate ? Buffer.concat([bytes.subarray(0, SIGNATURE_BYTES), ...kept, ...end]) : undefined;
}

interface Stored {
  /** Every chunk as stored, up to IEND. */
  readonly stored: readonly Uint8Array[];
  /** The bytes after IEND. */
  readonly rest: Uint8Array;
  /** Whether there is an IEND. */
  readonly isEnded: boolean;
}

function readStored(bytes: Uint8Array): Stored {
  const stored: Uint8Array[] = [];
  let at = SIGNATURE_BYTES;
  let isEnded = false;
  while (!isEnded) {
    const length = uint32(bytes, at);
    const end = at + CHUNK_OVERHEAD + (length ?? Infinity);
    if (end > bytes.length) break;
    stored.push(bytes.subarray(at, end));
    isEnded = text(bytes, at + 4, at + 8) === 'IEND';
    at = end;
  }
  return { stored, rest: bytes.subarray(at), isEnded };
}

/** Unknown chunks are private: they may contain anything. */
function isPrivateChunk(chunk: PngChunk, keep: KeptWords): boolean {
  const { type, data } = chunk;
  if (data.length === 0 || HARMLESS.has(type)) return false;
  if (type === 'eXIf') return isPrivateExif(data, keepsPart(keep, 'copyright'));
  if (!isText(chunk)) return true;
  const part = partOfText(chunk);
  return !HARMLESS_KEYWORD.test(keywordOf(chunk)) && !(part && keepsPart(keep, part));
}

const LAYER_CHUNKS = new Set([
  // Fireworks: a preview, and pages, layers and objects.
  ...['prVW', 'mkBF', 'mkBS', 'mkBT', 'mkTS'],
  // Skitch: annotations, and the image below them.
  ...['skMf', 'skRf'],
]);
/** Keywords of text chunks that hold a whole drawing: draw.io (two forms) and Excalidraw. */
const DRAWING_KEYWORDS = new Set(['mxfile', 'mxGraphModel', 'application/vnd.excalidraw+json']);

/**
 * Returns the chunks that editors keep in a PNG to edit it again: layers, originals, the source of a drawing. The image displays
 * without them, and a rewritten file loses them.
 */
export function editorLayers(chunks: readonly PngChunk[]): PngChunk[] {
  return chunks.filter(
    (chunk) => LAYER_CHUNKS.has(chunk.type) || (isText(chunk) && DRAWING_KEYWORDS.has(keywordOf(chunk))),
  );
}

/** Returns whether a rewritten PNG would lose some of its editor's layers. */
export function wouldLoseLayers({ chunks, storedSize }: PngStructure, keep: KeptMetadata): boolean {
  const layers = editorLayers(chunks);
  return (
    keptChunks({ chunks: layers }, { keep, dimensions: storedSize, orientation: 1 }).length < layers.length
  );
}
