/** Each frame keeps its region, time and blending, and is compared with its source. A broken animation stays unchanged. */
import { ImageRefused } from '../../../contract/image-problems';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { isAffordable } from '../../domain/memory-demand';
import { declaredChunks, FRAME_CHUNKS, readFrames, type PngFrame } from '../../formats/png/png-animation';
import { isCritical, pngOfChunks, type PngChunk } from '../../formats/png/png-chunks';
import { keptChunks, withChunks } from '../../formats/png/png-metadata';
import { plainRows } from '../../formats/png/png-raw-rows';
import { LOSSY_CHUNK, pngResultMarker, readPngResultMarker } from '../../formats/png/png-result-marker';
import { readPngStructure, type PngHeader, type PngStructure } from '../../formats/png/png-structure';
import type { PngCodec } from '../codecs.port';
import type { Candidate } from '../choose';
import type { PngImage } from './png-image';

/** Returns the animation packed anew; nothing if it is too large, broken, or a result of this service. */
export function animationCodings({ source, codec, policy, stopwatch }: PngImage): Candidate[] {
  const { structure, bytes, dimensions } = source;
  const isEarlierResult = readPngResultMarker(structure.chunks) !== undefined;
  const { frames: sizes } = declaredChunks(bytes, structure);
  const isWorthTrying = !isEarlierResult && sizes !== undefined && isAffordable(sizes);
  const frames = isWorthTrying ? readFrames(structure) : undefined;
  if (!frames) return [];
  return [
    {
      estimate: () => bytes.length,
      margin: Infinity,
      make: async () => {
        const smaller = await stopwatch.time('encode', () => packed(structure, frames, codec));
        if (!smaller) return undefined;
        const png = written(structure, smaller, policy);
        return { format: 'png', bytes: png, score: 1, maxError: 0, dimensions };
      },
    },
  ];
}

/** Undefined if a frame is damaged, or is not the same afterwards. */
async function packed(structure: PngStructure, frames: readonly PngFrame[], codec: PngCodec) {
  const { chunks, colourChunks } = structure;
  const isNeeded = (chunk: PngChunk) =>
    isCritical(chunk) || [...FRAME_CHUNKS, 'tRNS'].includes(chunk.type) || colourChunks.includes(chunk);
  try {
    const png = await codec.optimise(pngOfChunks(chunks.filter(isNeeded)));
    const after = readPngStructure(png);
    const framesAfter = readFrames(after) ?? [];
    const areSame =
      Buffer.compare(withoutFrames(chunks.filter(isNeeded)), withoutFrames(after.chunks)) === 0 &&
      framesAfter.length === frames.length &&
      frames.every((frame, i) => areEqual(structure, frame, framesAfter[i]));
    return areSame ? png : undefined;
  } catch (error) {
    if (error instanceof ImageRefused) return undefined;
    throw error;
  }
}

function withoutFrames(chunks: readonly PngChunk[]) {
  return pngOfChunks(chunks.filter(({ type }) => type !== 'IDAT' && !FRAME_CHUNKS.includes(type)));
}

function areEqual(header: PngHeader, before: PngFrame, after: PngFrame) {
  const [rows, rowsAfter] = [before, after].map(({ size, data }) =>
    plainRows({ ...header, storedSize: size }, data),
  );
  const [control, controlAfter] = [before, after].map((frame) => frame.control ?? new Uint8Array());
  if (!rows || !rowsAfter) return false;
  return Buffer.compare(rows, rowsAfter) === 0 && Buffer.compare(control, controlAfter) === 0;
}

/** Returns the file with the metadata that the policy keeps. No pixel is rotated, so an orientation stays. */
function written(structure: PngStructure, png: Uint8Array, policy: CompressionPolicy) {
  const { chunks, storedSize, orientation } = structure;
  const kept = keptChunks(structure, { keep: policy.keepMetadata, dimensions: storedSize, orientation });
  const lossy = chunks.filter(({ type }) => type === LOSSY_CHUNK).slice(0, 1);
  return withChunks(png, [...kept.chunks, ...lossy, pngResultMarker(png, policy)]);
}
