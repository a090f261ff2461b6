/** Data that editors keep in a PNG to edit it again: layers, originals, the source of a drawing. The image displays without them. */
import type { KeptMetadata } from '../../domain/compression-policy';
import type { PngChunk } from './png-chunks';
import { keptChunks } from './png-metadata';
import type { PngStructure } from './png-structure';
import { isText, keywordOf } from './png-text';

const LAYER_CHUNKS = new Set([
  // Fireworks: a preview, and pages, layers and objects.
  ...['prVW', 'mkBF', 'mkBS', 'mkBT', 'mkTS'],
  // Skitch: annotations, and the image below them.
  ...['skMf', 'skRf'],
]);
/** Keywords of text chunks that hold a whole drawing: draw.io (two forms) and Excalidraw. */
const DRAWING_KEYWORDS = new Set(['mxfile', 'mxGraphModel', 'application/vnd.excalidraw+json']);

/** Returns the chunks with layers or drawings, which a rewritten file loses. */
export function editorLayers(chunks: readonly PngChunk[]): PngChunk[] {
  return chunks.filter(
    (chunk) => LAYER_CHUNKS.has(chunk.type) || (isText(chunk) && DRAWING_KEYWORDS.has(keywordOf(chunk))),
  );
}

/** Returns whether a rewritten PNG would lose some of its editor's layers. */
export function wouldLoseLayers({ chunks, storedSize }: PngStructure, keep: KeptMetadata): boolean {
  const layers = editorLayers(chunks);
  const kept = keptChunks({ chunks: layers }, { keep, dimensions: storedSize, orientation: 1 });
  return kept.chunks.length < layers.length;
}
