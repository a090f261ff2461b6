/** Data in a PNG that are neither redundant nor private: see embedded-data.ts. The image displays without them. */
import type { RemovedData } from '../../../contract/report-words';
import type { KeptMetadata } from '../../domain/compression-policy';
import { text } from '../bytes';
import { blockData, knownData, textData, unknownData, type FoundData } from '../embedded-data';
import { holdsPaths, namesRights } from '../rights';
import { FRAME_CHUNKS } from './png-animation';
import { bytesBehind, isCritical, type PngChunk } from './png-chunks';
import { keptChunks, NINE_PATCH_CHUNKS, sourcesIn } from './png-metadata';
import { LOSSY_CHUNK, RESULT_CHUNK } from './png-result-marker';
import type { PngStructure } from './png-structure';
import { isRawProfile, isText, isXmp, readKeyword, readText } from './png-text';

interface Program {
  readonly chunks?: string;
  readonly keywords?: string;
  /** Layers, or the source of a drawing, if absent. */
  readonly kind?: RemovedData;
}

const PROGRAMS: readonly Program[] = [
  { chunks: 'prVW mkBF mkBS mkBT mkTS' }, // Fireworks
  { chunks: 'skMf skRf' }, // Skitch
  { chunks: 'caRt' }, // TIC-80
  { keywords: 'mxfile mxGraphModel' }, // draw.io
  { keywords: 'application/vnd.excalidraw+json' },
  { keywords: 'plantuml' },
  { keywords: 'openbadges openbadge' },
  { keywords: 'chara ccv3' }, // character cards
  { keywords: 'workflow prompt', kind: 'prompt' }, // ComfyUI
  { keywords: 'parameters', kind: 'prompt' }, // Stable Diffusion web UI
  { keywords: 'invokeai_metadata invokeai_graph invokeai_workflow', kind: 'prompt' },
  { chunks: 'caBX', kind: 'content-credentials' }, // C2PA
  { chunks: 'pCAL sCAL', kind: 'other-data' }, // what the samples measure, and their size in nature
];
const listKinds = (name: 'chunks' | 'keywords') =>
  new Map(
    PROGRAMS.flatMap(({ [name]: words = '', kind = 'editor-layers' }) =>
      words.split(' ').map((word) => [word, kind] as const),
    ),
  );
const CHUNKS = listKinds('chunks');
const KEYWORDS = listKinds('keywords');
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
/** Texts that are read; each may have to be inflated. */
const MAX_TEXTS = 32;

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
