/**
 * A PNG in, a smaller PNG that looks the same out.
 *
 * An image of many colours may be given a palette, or channels that are off by a few of 255, where a guard that looks
 * at all of it sees no difference; the smaller one wins. Where both fail, or gain little, the lossless reduction
 * follows. Images of few colours, of 16 bits, in colours far from sRGB, and animations never lose anything. Only an
 * image over the maximum dimension, or one whose EXIF says that it lies on its side, is resampled or turned.
 *
 * What is tried follows from the pixels and the policy, never from the clock: the same bytes give the same bytes.
 */
import type { CompressionPolicy, PngMode } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import { countColours, withoutRedundantChannels, type Pixels } from '../domain/pixels';
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

/** Colours of a palette image. */
const PALETTE_COLOURS = 256;
/**
 * An image of at most this many colours is a palette's work already: what it lost is not lost again. Our own
 * palettes mostly stay below it.
 */
const FEW_COLOURS = 200;
/**
 * Larger images are compressed with the effort `fast`: 14.4 megapixels of soft noise, which are hard, then take 20 s of a
 * core instead of 27 s. 8.3 megapixels are a 4K screen.
 */
const MAX_BALANCED_PIXELS = 8_500_000;
/** Pixels on which row filters are tried. */
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

  const size = fitWithin(dimensions, policy.maxDimensionPx);
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

/** Whether the upload was made here, with as much freedom or more: coding it again would only lose more. */
function isEarlierResult({ chunks }: PngStructure, { pngMode, targetScore }: CompressionPolicy): boolean {
  const made = readPngResultMarker(chunks);
  return (
    made !== undefined &&
    made.targetScore <= targetScore &&
    FREEDOM.indexOf(made.pngMode) >= FREEDOM.indexOf(pngMode)
  );
}

/** From the mode that allows least to the one that allows most. */
const FREEDOM: readonly PngMode[] = ['lossless', 'palette', 'auto'];

/** A scaled image has samples of its own, whatever the upload had, and does not grow without bound. */
async function scaledCandidates(work: PngWork, most: number): Promise<Candidate[]> {
  const { plain, codec, policy, stopwatch } = work;
  const pixels = await stopwatch.time('decode', () => codec.decode(plain));
  if (isBoundToGrow(pixels, most)) return [await posteriseToFit(work, pixels, most)];
  const candidates = await climb(work, Infinity, policy.pngMode, pixels);
  const isOver = candidates.every(({ bytes }) => bytes.length > most);
  return isOver ? [...candidates, await posteriseToFit(work, pixels, most)] : candidates;
}

/** The rungs that suit the image: palette, near-lossless, lossless. */
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
  const colours = countColours(pixels, PALETTE_COLOURS + 1);
  if (colours > PALETTE_COLOURS) {
    const { candidates, beatsLossless } = await compressLossily(work, pixels, true);
    return beatsLossless ? candidates : [...candidates, await losslessly(work, pixels)];
  }
  // A palette image that is packed as tightly as it can be has been through this, or through something like it.
  if (colours <= FEW_COLOURS || isTightlyPacked(pixels, originalSize)) return [await losslessly(work)];
  const { candidates, beatsLossless } = await compressLossily(work, pixels, false);
  return beatsLossless ? candidates : [...candidates, await losslessly(work)];
}

/** The image upright, at the size to deliver, without metadata; its pixels untouched where they can stay. */
export async function uprightPng(
  { bytes, structure }: PngSource,
  codec: PngCodec,
  size?: Dimensions,
): Promise<Uint8Array> {
  const { orientation, colourChunks, isSrgbLike } = structure;
  if (!size && orientation === 1) return withoutMetadata(bytes, structure);
  // Scaled samples are all new: 16 bits would be noise for the most part, and many times the upload's bytes.
  const options = size ? { size, isReduced: isSrgbLike } : {};
  return withColourChunks(await codec.transform(bytes, { orientation, ...options }), colourChunks);
}

/** @param many the pixels of an image of more than 256 colours: of such a one, row filters may be chosen here */
async function losslessly(work: PngWork, many?: Pixels): Promise<Candidate> {
  const { plain, size, codec, policy, stopwatch } = work;
  const optimised = await stopwatch.time('encode', () =>
    many && policy.effort === 'fast' ? inOneTry(work, many) : codec.optimise(plain, policy.effort),
  );
  // Also what is called lossless is looked at before it goes out.
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  return { bytes: isFaithful ? optimised : plain, score: 1, maxError: 0, dimensions: size };
}

/** With the row filters that a part of the image calls for, so that it is deflated once. */
async function inOneTry({ plain, structure, codec }: PngWork, pixels: Pixels): Promise<Uint8Array> {
  const compact = withoutRedundantChannels(pixels, structure.colourChunks.length === 0);
  if (!benefitsFromFilters(sampleBands(compact, TRIED_PIXELS))) return codec.optimise(plain, 'fast');
  const png = pngOfRows(compact, await codec.deflate(filteredRows(compact), 'fast'));
  return withColourChunks(png, structure.colourChunks);
}
