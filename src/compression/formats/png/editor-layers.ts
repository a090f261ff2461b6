/** Data with which programs open a PNG again: layers, the source of a drawing, a workflow. The image displays without them. */
import type { KeptMetadata } from '../../domain/compression-policy';
import { namesRights } from '../rights';
import type { PngChunk } from './png-chunks';
import { keptChunks } from './png-metadata';
import type { PngStructure } from './png-structure';
import { isRawProfile, isText, isXmp, readKeyword, readText } from './png-text';

const EDITOR_DATA: readonly { readonly chunks?: string; readonly keywords?: string }[] = [
  { chunks: 'prVW mkBF mkBS mkBT mkTS' }, // Fireworks
  { chunks: 'skMf skRf' }, // Skitch
  { chunks: 'caRt' }, // TIC-80
  { keywords: 'mxfile mxGraphModel' }, // draw.io
  { keywords: 'application/vnd.excalidraw+json' },
  { keywords: 'plantuml' },
  { keywords: 'openbadges openbadge' },
  { keywords: 'workflow prompt' }, // ComfyUI
  { keywords: 'parameters' }, // Stable Diffusion web UI
  { keywords: 'invokeai_metadata invokeai_graph invokeai_workflow' },
  { keywords: 'chara ccv3' }, // character cards
];
const listWords = (name: 'chunks' | 'keywords') =>
  new Set(EDITOR_DATA.flatMap((program) => program[name]?.split(' ') ?? []));
const CHUNKS = listWords('chunks');
const KEYWORDS = listWords('keywords');

export function editorLayers(chunks: readonly PngChunk[]): PngChunk[] {
  return chunks.filter(
    (chunk) => CHUNKS.has(chunk.type) || (isText(chunk) && KEYWORDS.has(readKeyword(chunk))),
  );
}

/** Licences, dates and software. */
const HARMLESS = /licen[cs]e|disclaimer|warning|date|time|software/i;
/** A longer text may be data of a program that is not in the table. */
const MAX_TEXT_BYTES = 256;

function isUnknownData(chunk: PngChunk): boolean {
  if (!isText(chunk) || isXmp(chunk) || isRawProfile(chunk)) return false;
  const keyword = readKeyword(chunk);
  if (namesRights(keyword) || HARMLESS.test(keyword)) return false;
  return (readText(chunk) ?? chunk.data).length > MAX_TEXT_BYTES;
}

export function wouldLoseLayers({ chunks, storedSize }: PngStructure, keep: KeptMetadata): boolean {
  const layers = editorLayers(chunks);
  const kept = keptChunks({ chunks: layers }, { keep, dimensions: storedSize, orientation: 1 });
  return kept.chunks.length < layers.length || (keep !== 'all' && chunks.some(isUnknownData));
}
