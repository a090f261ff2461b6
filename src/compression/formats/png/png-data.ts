/** Data in a PNG that are neither redundant nor private: see embedded-data.ts. The image displays without them. */
import type { RemovedData } from '../../../contract/report-words';
import type { KeptMetadata } from '../../domain/compression-policy';
import { text } from '../bytes';
import { blockData, knownData, textData, unknownData, type FoundData } from '../embedded-data';
import { holdsPaths, namesRights } from '../rights';
import { FRAME_CHUNKS } from './png-animation';
import { bytesBehind, isCritical, type PngChunk } from './png-chunks';
import { CREDENTIALS, keptChunks, MAX_TEXTS, NINE_PATCH_CHUNKS, sourcesIn } from './png-metadata';
import { LOSSY_CHUNK, RESULT_CHUNK } from './png-result-marker';
import type { PngStructure } from './png-structure';
import { isRawProfile, isText, isXmp, readKeyword, readText } from './png-text';

/** Types of chunks, by what they hold. Of editors also the source of a drawing. */
const CHUNKS = kindsByWord({
  'editor-layers': [
    'prVW mkBF mkBS mkBT mkTS', // Fireworks
    'skMf skRf', // Skitch
    'caRt', // TIC-80
  ],
  'content-credentials': [CREDENTIALS],
  'other-data': ['pCAL sCAL'], // what the samples measure, and their size in nature
});
const KEYWORDS = kindsByWord({
  'editor-layers': [
    'mxfile mxGraphModel', // draw.io
    'application/vnd.excalidraw+json',
    'plantuml',
    'openbadges openbadge',
    'chara ccv3', // character cards
  ],
  prompt: [
    'workflow prompt', // ComfyUI
    'parameters', // Stable Diffusion web UI
    'invokeai_metadata invokeai_graph invokeai_workflow',
  ],
});
const SILENT_CHUNKS = new Set([
  ...'tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST sPLT pHYs oFFs tIME eXIf sTER'.split(' '),
  ...'dSIG gIFg gIFx gIFt iDOT vpAg caNv orNT'.split(' '),
  ...[...FRAME_CHUNKS, ...NINE_PATCH_CHUNKS, LOSSY_CHUNK, RESULT_CHUNK],
]);
/** Licences, dates and software, of any length. */
const HARMLESS = /licen[cs]e|disclaimer|warning|date|time|software/i;
/** Descriptions, as far as they are short; the prefixes are ImageMagick's and those of thumbnails. */
const DESCRIPTIVE = /^(?:title|description|comment|source|location)$|^(?:exif|png|icc|tiff|dc|thumb)[:-]/i;
/** NovelAI writes the prompt as an ordinary description. */
const NOVELAI = 'NovelAI';
const OF_NOVELAI = /^(?:description|comment)$/i;

/** @param file the whole file, of which data after the end count, too */
export function pngData(chunks: readonly PngChunk[], file?: Uint8Array): FoundData[] {
  const texts = chunks.filter((chunk) => isText(chunk) && !isXmp(chunk) && !isRawProfile(chunk));
  const isByNovelAi = texts.some(
    (chunk) => readKeyword(chunk) === 'Software' && readText(chunk)?.toString('latin1').startsWith(NOVELAI),
  );
  const sources = sourcesIn(chunks, 'all');
  const behind = file ? bytesBehind(file) : new Uint8Array();
  return [
    ...chunks.filter((chunk) => !isText(chunk) && !isCritical(chunk)).flatMap(chunkData),
    ...texts.flatMap((chunk, i) => textChunkData(chunk, i < MAX_TEXTS, isByNovelAi)),
    ...blockData(sources),
    ...(holdsPaths(sources) ? [knownData('other-data')] : []),
    ...(behind.some((byte) => byte > 0x20) ? [unknownData(behind.length)] : []),
  ];
}

/** Returns what a file in its format keeps of them. */
export function pngDataToKeep(
  { chunks, storedSize: dimensions, orientation }: PngStructure,
  keep: KeptMetadata,
): FoundData[] {
  return pngData(keptChunks({ chunks }, { keep, dimensions, orientation }).chunks);
}

function kindsByWord(table: Partial<Record<RemovedData, readonly string[]>>) {
  const rows = Object.entries(table) as [RemovedData, readonly string[]][];
  return new Map(
    rows.flatMap(([kind, words]) => words.flatMap((some) => some.split(' ')).map((word) => [word, kind])),
  );
}

function chunkData({ type, data }: PngChunk): FoundData[] {
  const kind = CHUNKS.get(type);
  if (kind) return [knownData(kind)];
  return SILENT_CHUNKS.has(type) ? [] : [unknownData(data.length)];
}

function textChunkData(chunk: PngChunk, isRead: boolean, isByNovelAi: boolean): FoundData[] {
  const keyword = readKeyword(chunk);
  const kind = isByNovelAi && OF_NOVELAI.test(keyword) ? 'prompt' : KEYWORDS.get(keyword);
  if (kind) return [knownData(kind)];
  if (namesRights(keyword) || HARMLESS.test(keyword)) return [];
  const value = (isRead ? readText(chunk) : undefined) ?? chunk.data;
  const found = textData(text(value));
  return found.length > 0 || DESCRIPTIVE.test(keyword) ? found : [unknownData(value.length)];
}
