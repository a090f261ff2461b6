/**
 * A PNG in, a smaller PNG that looks the same out.
 *
 * A picture of many colours is given a palette first, behind a guard that looks at all of it. Where that fails, or
 * gains little, the lossless reduction follows. Pictures of few colours, of 16 bits, in colours far from sRGB, and
 * animations never lose anything. Only an image over the maximum dimension, or one whose EXIF says that it lies on its side, is resampled
 * or turned.
 */
import type { CompressionPolicy, Effort } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { PaletteGuard } from '../domain/palette-guard';
import { countColours, type Pixels } from '../domain/pixels';
import { chooseSmallest, isWorthwhile } from '../domain/skip-rule';
import { keptChunks, withChunks, withColourChunks, withoutMetadata } from '../formats/png/png-metadata';
import type { PngStructure } from '../formats/png/png-structure';
import type { PngCodec } from './codecs.port';
import type { Candidate, Outcome } from './outcome';
import type { Stopwatch } from './stopwatch';

interface PngSource {
  readonly bytes: Uint8Array;
  readonly structure: PngStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

/** Palettes to try, in this order, until one passes: see PngCodec.quantise. */
const FINENESSES: Readonly<Record<Effort, readonly number[]>> = {
  fast: [95],
  balanced: [90, 95, 100],
  max: [80, 85, 90, 93, 95, 97, 100],
};
/** From here on a picture that fails by far is given up. */
const USUAL_FINENESS = 90;
/** Colours of a palette picture. */
const PALETTE_COLOURS = 256;
/**
 * A picture of at most this many colours is a palette's work already: what it lost is not lost again. Our own
 * palettes mostly stay below it.
 */
const FEW_COLOURS = 200;
/** A palette picture this much smaller than the source is taken without looking what a lossless one would be. */
const CLEAR_GAIN = 0.25;

/**
 * Milliseconds for a million pixels: what the hardest pictures (photos) take for palettes and packing at leisure, and
 * for the packing alone in a hurry.
 */
const UNHURRIED_MS_PER_MEGAPIXEL = 2_500;
const HURRIED_MS_PER_MEGAPIXEL = 700;

export async function compressPng(
  source: PngSource,
  codec: PngCodec,
  givenPolicy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  const { bytes, structure, dimensions } = source;
  // Re-encoding an animation through a still-image pipeline would keep one frame and lose the rest.
  if (structure.isAnimated) return { skipReason: 'animated' };

  const size = fitWithin(dimensions, givenPolicy.maxDimensionPx);
  const policy = withinTime(givenPolicy, size, stopwatch);
  const mustScale = !sameSize(size, dimensions);
  const plain = await stopwatch.time('decode', () => upright(source, codec, mustScale ? size : undefined));
  const kept = keptChunks(structure, { keep: policy.keepMetadata, dimensions: size });
  const complete = (candidate: Candidate) => ({ ...candidate, bytes: withChunks(candidate.bytes, kept) });
  const lossless = async () => complete(await losslessly(plain, size, codec, policy, stopwatch));
  const mayLose = policy.pngMode === 'auto' && structure.bitDepth <= 8 && structure.isSrgbLike;
  const pixels = mayLose ? await stopwatch.time('decode', () => codec.decode(plain)) : undefined;
  const colours = pixels ? countColours(pixels, PALETTE_COLOURS + 1) : 0;

  const candidates: Candidate[] = [];
  // A palette picture that is packed as tightly as it can be has been through this, or through something like it.
  const isFewColoured = colours <= PALETTE_COLOURS;
  if (isFewColoured) candidates.push(await lossless());
  const isWorn =
    isFewColoured && !isWorthwhile(bytes.length, candidates[0].bytes.length, policy.minSavingsRatio);
  if (pixels && colours > FEW_COLOURS && !isWorn) {
    const palette = await inPalette({ plain, pixels, structure, size }, codec, policy, stopwatch);
    if (palette) candidates.push(complete(palette));
  }
  const isEnough =
    isFewColoured || candidates.some((c) => isWorthwhile(bytes.length, c.bytes.length, CLEAR_GAIN));
  if (!isEnough) candidates.push(await lossless());
  return (
    chooseSmallest(bytes.length, candidates, { ...policy, mustChange: mustScale }) ?? {
      skipReason: 'already-optimised',
    }
  );
}

/** What there is time for: bytes are what a hurry may cost, never quality. */
function withinTime(
  policy: CompressionPolicy,
  { width, height }: Dimensions,
  { msLeft }: Stopwatch,
): CompressionPolicy {
  const msPerMegapixel = (msLeft / (width * height)) * 1e6;
  if (msPerMegapixel > UNHURRIED_MS_PER_MEGAPIXEL) return policy;
  const pngMode = msPerMegapixel > HURRIED_MS_PER_MEGAPIXEL ? policy.pngMode : 'lossless';
  return { ...policy, effort: 'fast', pngMode };
}

/** The picture upright, at the size to deliver, without metadata; its pixels untouched where they can stay. */
async function upright(
  { bytes, structure }: PngSource,
  codec: PngCodec,
  size?: Dimensions,
): Promise<Uint8Array> {
  const { orientation, colourChunks } = structure;
  if (!size && orientation === 1) return withoutMetadata(bytes, structure);
  return withColourChunks(
    await codec.transform(bytes, { orientation, ...(size ? { size } : {}) }),
    colourChunks,
  );
}

async function losslessly(
  plain: Uint8Array,
  dimensions: Dimensions,
  codec: PngCodec,
  { effort }: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Candidate> {
  const optimised = await stopwatch.time('encode', () => codec.optimise(plain, effort));
  // Also what is called lossless is looked at before it goes out.
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  return { bytes: isFaithful ? optimised : plain, score: 1, dimensions };
}

interface Picture {
  readonly plain: Uint8Array;
  readonly pixels: Pixels;
  readonly structure: PngStructure;
  readonly size: Dimensions;
}

/** The first palette that the guard lets through. */
async function inPalette(
  { plain, pixels, structure, size }: Picture,
  codec: PngCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Candidate | undefined> {
  let guard: PaletteGuard | undefined;
  for (const fineness of FINENESSES[policy.effort]) {
    const quantising = stopwatch.time('search', () => codec.quantise(plain, fineness));
    // The quantiser works on a thread of its own; the guard is made ready beside it.
    guard ??= new PaletteGuard(pixels, policy.targetScore);
    const quantised = await quantising;
    if (!quantised) return undefined;
    const prepared = guard;
    const verdict = await stopwatch.time('verify', async () => prepared.judge(await codec.decode(quantised)));
    if (verdict.isHopeless && fineness >= USUAL_FINENESS) return undefined;
    if (!verdict.passes) continue;
    const { score } = verdict;
    const optimised = await stopwatch.time('encode', () =>
      codec.optimise(withColourChunks(quantised, structure.colourChunks), policy.effort),
    );
    const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(quantised, optimised));
    return isFaithful ? { bytes: optimised, score, dimensions: size } : undefined;
  }
  return undefined;
}
