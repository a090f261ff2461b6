/** Filters and deflates the rows of each frame again. Regions, times, disposal, palette, type and depth stay. */
import { chooseSmallest, type CompressionPolicy, type Effort } from '../../domain/compression-policy';
import { isAffordable, isLongAnimation } from '../../domain/memory-demand';
import type { PngSource } from '../../formats/image-header';
import { declaredFrames, pngOfFrames, readFrames, type PngFrame } from '../../formats/png/png-animation';
import { isCritical } from '../../formats/png/png-chunks';
import { keptChunks, withChunks } from '../../formats/png/png-metadata';
import { LOSSY_CHUNK, pngResultMarker, readPngResultMarker } from '../../formats/png/png-result-marker';
import type { PngHeader, PngStructure } from '../../formats/png/png-structure';
import type { PngCodec } from '../codecs.port';
import type { Outcome } from '../outcome';
import type { Work } from '../work';
import { smallestData } from './png-repacking';
import { unchangedPng } from './png-work';

export async function compressAnimatedPng(work: Work<PngSource>): Promise<Outcome> {
  const { source, policy, stopwatch } = work;
  const { structure, bytes, dimensions } = source;
  const isEarlierResult = readPngResultMarker(structure.chunks) !== undefined;
  const sizes = declaredFrames(bytes, structure);
  const isWorthTrying = !isEarlierResult && sizes !== undefined && isAffordable(sizes);
  const frames = isWorthTrying ? readFrames(structure) : undefined;
  if (!sizes || !frames) return unchangedPng(work, 'animated');
  const effort = isLongAnimation(sizes) ? 'fast' : policy.effort;
  const smaller = await stopwatch.time('encode', () => packed(frames, structure, work.engine.png, effort));
  if (!smaller) return unchangedPng(work, 'animated');
  const candidate = { bytes: written(structure, smaller, policy), score: 1, maxError: 0, dimensions };
  const chosen = chooseSmallest(bytes.length, [candidate], { ...policy, mustChange: false });
  return chosen ?? unchangedPng(work, 'animated');
}

async function packed(
  frames: readonly PngFrame[],
  header: PngHeader,
  codec: PngCodec,
  effort: Effort,
): Promise<PngFrame[] | undefined> {
  const smaller: PngFrame[] = [];
  for (const frame of frames) {
    const data = await smallestData({ ...header, storedSize: frame.size }, frame.data, codec, effort);
    if (!data) return undefined;
    smaller.push({ ...frame, data });
  }
  return smaller;
}

/** Returns the file with the metadata that the policy keeps. No pixel is rotated, so an orientation stays. */
function written(
  structure: PngStructure,
  frames: readonly PngFrame[],
  policy: CompressionPolicy,
): Uint8Array {
  const { chunks, colourChunks, storedSize, orientation } = structure;
  const beforeFrames = chunks.slice(
    0,
    chunks.findIndex(({ type }) => type === 'IDAT'),
  );
  const needed = beforeFrames.filter(
    (chunk) => isCritical(chunk) || ['tRNS', 'acTL'].includes(chunk.type) || colourChunks.includes(chunk),
  );
  const png = pngOfFrames(needed, frames);
  const written = { keep: policy.keepMetadata, dimensions: storedSize, orientation };
  const metadata = keptChunks(structure, written).chunks;
  const lossy = chunks.filter(({ type }) => type === LOSSY_CHUNK).slice(0, 1);
  return withChunks(png, [...metadata, ...lossy, pngResultMarker(png, policy)]);
}
