/**
 * Compresses a PNG to a smaller one that looks the same.
 *
 * An image of many colours may become a palette image, or its channels may change by a few of 255, if a guard that
 * compares the whole image sees no difference; the smaller result wins. If both fail or save little, the lossless
 * reduction follows. Images of few colours, of 16 bits, in colours far from sRGB, and animations are never compressed
 * with loss. Only images larger than the maximum dimension are resampled, and only images with an EXIF orientation are
 * rotated.
 *
 * What is tried depends on the pixels and the policy, never on time, so the same bytes give the same result.
 */
import type { CompressionPolicy, PngMode } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import { colourCount, indexed } from '../domain/palette/indexed-image';
import { withoutRedundantChannels, type Pixels } from '../domain/pixels';
import { chooseSmallest } from '../domain/skip-rule';
import { keptChunks, withChunks, withColourChunks, withoutMetadata } from '../formats/png/png-metadata';
import { pngChunk } from '../formats/png/png-chunks';
import { readPngResultMarker, pngResultMarker } from '../formats/png/png-result-marker';
import { LOSSY_CHUNK, pngOfRows } from '../formats/png/png-rows';
import { readPngStructure, type PngStructure } from '../formats/png/png-structure';
import type { PngCodec } from './codecs.port';
import type { Candidate, Outcome } from './outcome';
import { filteredRows, benefitsFromFilters } from './png-codings';
import { posteriseToFit, isBoundToGrow, maxScaledBytes } from './png-growth';
import { isTightlyPacked } from './png-indexed-packing';
import { compressLossily, type PngWork } from './png-lossy';
import type { Stopwatch } from './stopwatch';

interface PngSource {
  readonly bytes: Uint8Array;
  readonly structure: PngStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

/**
 * An image of at most this many colours probably was a palette image before, so it is only compressed losslessly. Our
 * own palettes mostly have fewer colours.
 */
const FEW_COLOURS = 200;
/**
 * Larger images get the effort `fast`: 14.4 megapixels of soft noise, a hard case, then take 20 s of CPU time instead
 * of 27 s. 8.3 megapixels are a 4K screen.
 */
const MAX_BALANCED_PIXELS = 8_500_000;
/** Pixels on which row filters are compared. */
const TRIED_PIXELS = 250_000;

export async function compressPng(
  source: PngSource,
  codec: PngCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  const { bytes, structure, dimensions } = source;
  // Re-encoding an animation through a still-image pipeline would keep one frame and lose the rest.
  if (structure.isAnimated) return { skipReason: 'animated' };

  const size = fitWithin(dimensions, policy);
  const mustScale = !sameSize(size, dimensions);
  if (!mustScale && isEarlierResult(structure, policy)) return { skipReason: 'already-optimised' };
  const plain = await stopwatch.time('decode', () => uprightPng(source, codec, mustScale ? size : undefined));
  const isLarge = size.width * size.height > MAX_BALANCED_PIXELS;
  const affordable = isLarge ? { ...policy, effort: 'fast' as const } : policy;
  const work = { plain, structure, size, codec, policy: affordable, stopwatch };
  const kept = keptChunks(structure, { keep: policy.keepMetadata, dimensions: size });
  const wasLossy = !mustScale && structure.chunks.some(({ type }) => type === LOSSY_CHUNK);
  const complete = (candidate: Candidate): Candidate => {
    const isMarked = wasLossy || candidate.maxError !== 0;
    const { bytes } = candidate;
    const lossy = isMarked ? [pngChunk(LOSSY_CHUNK, new Uint8Array())] : [];
    const chunks = [...kept, ...lossy, pngResultMarker(bytes, policy)];
    return { ...candidate, bytes: withChunks(bytes, chunks) };
  };

  const candidates = mustScale
    ? await scaledCandidates(work, maxScaledBytes(bytes.length))
    : await climb(work, bytes.length, wasLossy ? 'lossless' : policy.pngMode);
  return (
    chooseSmallest(bytes.length, candidates.map(complete), { ...policy, mustChange: mustScale }) ?? {
      skipReason: 'already-optimised',
    }
  );
}

/**
 * Returns whether this service made the upload under the same or a freer policy; encoding it again would only lose
 * more.
 */
function isEarlierResult({ chunks }: PngStructure, { pngMode, targetScore }: CompressionPolicy): boolean {
  const made = readPngResultMarker(chunks);
  return (
    made !== undefined &&
    made.targetScore <= targetScore &&
    FREEDOM.indexOf(made.pngMode) >= FREEDOM.indexOf(pngMode)
  );
}

/** PNG modes from the strictest to the freest. */
const FREEDOM: readonly PngMode[] = ['lossless', 'palette', 'auto'];

/** All samples of a scaled image are new, so the checks of the source do not apply, but its growth is limited. */
async function scaledCandidates(work: PngWork, most: number): Promise<Candidate[]> {
  const { plain, codec, policy, stopwatch } = work;
  const pixels = await stopwatch.time('decode', () => codec.decode(plain));
  if (isBoundToGrow(pixels, most)) return [await posteriseToFit(work, pixels, most)];
  const candidates = await climb(work, Infinity, policy.pngMode, pixels);
  const isOver = candidates.every(({ bytes }) => bytes.length > most);
  return isOver ? [...candidates, await posteriseToFit(work, pixels, most)] : candidates;
}

/** Tries what suits the image: palette, near-lossless, lossless. */
async function climb(
  work: PngWork,
  originalSize: number,
  mode: PngMode,
  decoded?: Pixels,
): Promise<Candidate[]> {
  const { plain, structure, codec, stopwatch } = work;
  const isDeep = readPngStructure(plain).bitDepth > 8;
  if (mode === 'lossless' || isDeep || !structure.isSrgbLike) return [await losslessly(work)];
  const pixels = decoded ?? (await stopwatch.time('decode', () => codec.decode(plain)));
  const image = indexed(pixels);
  if (!image) {
    const { candidates, beatsLossless } = await compressLossily(work, pixels, true);
    return beatsLossless ? candidates : [...candidates, await losslessly(work, pixels)];
  }
  // A well compressed palette image has been optimised before.
  if (colourCount(image) <= FEW_COLOURS || isTightlyPacked(image, originalSize)) {
    return [await losslessly(work)];
  }
  const { candidates, beatsLossless } = await compressLossily(work, pixels, false);
  return beatsLossless ? candidates : [...candidates, await losslessly(work)];
}

/** Returns the image upright and scaled, without metadata; the pixels are untouched if possible. */
export async function uprightPng(
  { bytes, structure }: PngSource,
  codec: PngCodec,
  size?: Dimensions,
): Promise<Uint8Array> {
  const { orientation, colourChunks, isSrgbLike } = structure;
  if (!size && orientation === 1) return withoutMetadata(bytes, structure);
  // In a scaled image, the low 8 of 16 bits would mostly be noise, and many times the upload's bytes.
  const options = size ? { size, isReduced: isSrgbLike } : {};
  return withColourChunks(await codec.transform(bytes, { orientation, ...options }), colourChunks);
}

/** @param many the pixels of an image of more than 256 colours, for which row filters may be chosen here */
async function losslessly(work: PngWork, many?: Pixels): Promise<Candidate> {
  const { plain, size, codec, policy, stopwatch } = work;
  const optimised = await stopwatch.time('encode', () =>
    many && policy.effort === 'fast' ? inOneTry(work, many) : codec.optimise(plain, policy.effort),
  );
  // Verifies that the rewrite is lossless.
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  return { bytes: isFaithful ? optimised : plain, score: 1, maxError: 0, dimensions: size };
}

/** Uses the row filters that are best on a part of the image, so that it is deflated once. */
async function inOneTry({ plain, structure, codec }: PngWork, pixels: Pixels): Promise<Uint8Array> {
  const compact = withoutRedundantChannels(pixels, structure.colourChunks.length === 0);
  if (!benefitsFromFilters(sampleBands(compact, TRIED_PIXELS))) return codec.optimise(plain, 'fast');
  const png = pngOfRows(compact, await codec.deflate(filteredRows(compact), 'fast'));
  return withColourChunks(png, structure.colourChunks);
}
