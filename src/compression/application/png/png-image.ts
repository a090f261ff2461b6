/** A PNG upload, prepared for its size and policy. The pixels are upright and scaled, and decoded once, when they are asked for. */
import type { CompressionPolicy, Effort } from '../../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import { FidelityGuard } from '../../domain/fidelity-guard';
import type { KeptColours } from '../../domain/kept-colours';
import { once } from '../../domain/once';
import type { Histogram } from '../../domain/palette/colour-histogram';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { flattenOver, isOpaque, withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { judgedDensity } from '../../domain/score/as-seen';
import type { SmoothAreas } from '../../domain/smooth-areas';
import type { PngSource } from '../../formats/image-header';
import { firstData, pngChunk, pngOfPixels } from '../../formats/png/png-chunks';
import { mayBeGrey } from '../../formats/png/png-colour';
import { withEightBits } from '../../formats/png/png-depth';
import { keptChunks, withChunks, withColourChunks, withoutMetadata } from '../../formats/png/png-metadata';
import { LOSSY_CHUNK, pngResultMarker } from '../../formats/png/png-result-marker';
import { mayBeTransparent, readPngStructure } from '../../formats/png/png-structure';
import { planReshaping, type WrittenMetadata } from '../../formats/reshaping';
import type { Result } from '../choose';
import type { PngCodec } from '../codecs.port';
import { isTooSmall, type Context } from '../context';

/** Larger images get the effort `fast`: 14.4 megapixels of soft noise then take 20 s of CPU time instead of 27 s. A 4K screen has 8.3. */
const MAX_BALANCED_PIXELS = 8_500_000;

export interface PngImage extends Context {
  readonly source: PngSource;
  readonly codec: PngCodec;
  /** Of the result, upright. */
  readonly size: Dimensions;
  readonly isScaled: boolean;
  readonly density: number;
  readonly isFlattened: boolean;
  /** Whether the upload is a result of this service whose pixels differ from their source, at its own size. */
  readonly wasLossy: boolean;
  readonly written: WrittenMetadata;
  /** Upright and scaled, without metadata: a PNG with as many bits as its samples need. */
  readonly plain: () => Promise<Uint8Array>;
  /** RGBA of 8 bits. */
  readonly pixels: () => Promise<Pixels>;
}

/** @param larger the same upload, whose pixels are scaled instead of decoding again */
export function preparePng(source: PngSource, context: Context, larger?: PngImage): PngImage {
  const { structure, dimensions, bytes } = source;
  const { engine, policy: asked, stopwatch } = context;
  const codec = engine.png;
  const size = fitWithin(dimensions, asked);
  const isScaled = !sameSize(size, dimensions);
  const isLarge = size.width * size.height > MAX_BALANCED_PIXELS;
  const policy: CompressionPolicy = isLarge ? { ...asked, effort: 'fast' } : asked;
  const { background, box, keepMetadata: keep } = policy;
  const isFlattened = background !== undefined && mayBeTransparent(structure);
  const { storedSize, orientation, isSrgbLike, colourChunks } = structure;

  const upright = async () => {
    if (!isScaled && orientation === 1) return withoutMetadata(structure);
    // In a scaled image, the low 8 of 16 bits would mostly be noise, and many times the bytes of the upload.
    const scaled = { size, isReduced: isSrgbLike };
    const transformed =
      isScaled && larger
        ? codec.transform(await larger.plain(), { ...scaled, orientation: 1 })
        : codec.transform(bytes, { orientation, ...(isScaled && { ...scaled, crop: box?.crop }) });
    return withColourChunks(await transformed, colourChunks);
  };
  const prepared = async () => {
    const stored = await upright();
    // To fit a byte limit with 16 bits, the image would lose half of its pixels instead.
    const png = withEightBits(stored, isSrgbLike && context.isFitted === true) ?? stored;
    if (!isFlattened) return png;
    const pixels = await codec.decode(png);
    if (isOpaque(pixels)) return png;
    const flat = withoutRedundantChannels(flattenOver(background, pixels), mayBeGrey(colourChunks));
    return withColourChunks(pngOfPixels(flat), colourChunks);
  };
  const plain = once(() => stopwatch.time('decode', prepared));
  return {
    ...context,
    policy,
    source,
    codec,
    size,
    isScaled,
    density: judgedDensity(size, policy.density),
    isFlattened,
    wasLossy: !isScaled && firstData(structure.chunks, LOSSY_CHUNK) !== undefined,
    written: {
      keep,
      dimensions: size,
      orientation: 1,
      reshaped: planReshaping(storedSize, size, orientation, box?.crop),
    },
    plain,
    pixels: once(async () => {
      const png = await plain();
      return stopwatch.time('decode', () => codec.decode(png));
    }),
  };
}

/**
 * Returns the judge of lossy files. Those of an attempt within a byte limit may lose all that its target allows.
 * @param whole dimensions of the image, if the pixels are a part of it
 */
export function createGuard(
  { policy: { targetScore }, density, isFitted }: PngImage,
  pixels: Pixels,
  whole: Dimensions = pixels,
): FidelityGuard {
  const allowed = isFitted ? { allowedLoss: 1 - targetScore } : {};
  return new FidelityGuard(pixels, targetScore, { whole, density, ...allowed });
}

/** Whether the samples of the upload need their 16 bits. */
export function hasDeepSamples({ source: { structure, bytes } }: PngImage): boolean {
  return structure.bitDepth > 8 && !withEightBits(bytes, false);
}

/** Whether the pixels must not change, because the guard cannot judge them: 16 bits, colours far from sRGB, or a few pixels. */
export async function mustStayLossless(image: PngImage): Promise<boolean> {
  if (!image.source.structure.isSrgbLike || isTooSmall(image, image.size)) return true;
  return readPngStructure(await image.plain()).bitDepth > 8;
}

export function withColours({ source }: PngImage, png: Uint8Array): Uint8Array {
  return withColourChunks(png, source.structure.colourChunks);
}

/** Returns the pixels without redundant channels, with a single colour channel only if the colours of the upload allow that. */
export function compacted({ source }: PngImage, pixels: Pixels): Pixels {
  return withoutRedundantChannels(pixels, mayBeGrey(source.structure.colourChunks));
}

/** A coded image without its metadata. */
export type CodedPng = Pick<Result, 'bytes' | 'score' | 'maxError' | 'dimensions'>;

/** Adds the metadata that stays, the marker, and whether pixels have changed, in this pass or an earlier one. */
export function completed(image: PngImage, coded: CodedPng): Result {
  const { source, written, wasLossy, policy, density } = image;
  const { chunks, removed } = keptChunks(source.structure, written);
  const lossy = wasLossy || coded.maxError !== 0 ? [pngChunk(LOSSY_CHUNK, new Uint8Array())] : [];
  const marker = pngResultMarker(coded.bytes, { ...policy, density });
  const bytes = withChunks(coded.bytes, [...chunks, ...lossy, marker]);
  return { ...coded, format: 'png', bytes, removed };
}

/** What the drafts of an image share. */
export interface LossySource {
  /** Upright and scaled, as RGBA. */
  readonly pixels: Pixels;
  /** Without redundant channels. */
  readonly compact: Pixels;
  readonly kept: KeptColours;
  readonly guard: FidelityGuard;
  readonly areas: () => SmoothAreas;
  readonly histogram: () => Histogram;
}

/** Pixels that have passed the guard. The final deflate is expensive, so only those that may win get it. */
export interface PngDraft {
  readonly score: number;
  /** In bytes: zlib at a fast level. */
  readonly estimate: number;
  pack(effort: Effort): Promise<Uint8Array>;
  /** Part of the pixels of a near-lossless draft; absent for palettes. */
  readonly part?: Pixels;
  /** The largest difference of any channel from the source; absent for palettes. */
  readonly errorBound?: number;
  /** Absent for near-lossless drafts. */
  readonly image?: IndexedImage;
}
