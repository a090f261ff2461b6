/**
 * A JPEG in, a smaller JPEG that looks the same out.
 *
 * Lossy first: the lowest quality whose result, decoded again, reaches the target score. Then a lossless
 * rewrite. The smallest that is a worthwhile gain is delivered, else the file as it came.
 * CMYK is never turned into RGB behind the caller's back: it goes to the lossless rewrite at once.
 */
import { chooseChroma } from '../domain/chroma-subsampling';
import type { CompressionPolicy } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { SEARCH_RANGE, searchQuality, type QualityRange } from '../domain/quality-search';
import { sampleMosaic } from '../domain/sample-mosaic';
import { chooseSmallest } from '../domain/skip-rule';
import { ScoreReference } from '../domain/ssim-score';
import { isPlainSrgb } from '../formats/icc-profile';
import { estimateQuality } from '../formats/jpeg-quality';
import { isChromaHalved, withMetadata, type JpegStructure } from '../formats/jpeg-structure';
import type { JpegCodec } from './codecs.port';
import type { Outcome } from './outcome';
import type { Stopwatch } from './stopwatch';

interface JpegCandidate {
  readonly bytes: Uint8Array;
  readonly quality: number;
  readonly score: number;
  readonly dimensions: Dimensions;
}

interface JpegSource {
  readonly bytes: Uint8Array;
  readonly structure: JpegStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

export async function compressJpeg(
  source: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  const size = fitWithin(source.dimensions, policy.maxDimensionPx);
  const mustScale = !sameSize(size, source.dimensions);
  const isCmyk = source.structure.components.length === 4;

  const lossy = isCmyk && !mustScale ? undefined : await searchLossy(source, size, codec, policy, stopwatch);
  const candidates = lossy ? [lossy] : [];
  if (!mustScale && !chooseSmallest(source.bytes.length, candidates, { ...policy, mustChange: false })) {
    const lossless = await recode(source, codec, stopwatch);
    if (lossless) candidates.push(lossless);
  }

  const chosen = chooseSmallest(source.bytes.length, candidates, { ...policy, mustChange: mustScale });
  return chosen ?? { skipReason: 'already-optimised' };
}

/** The lowest quality that passes, on the full image; when it has to be scaled, the best there is. */
async function searchLossy(
  source: JpegSource,
  size: Dimensions,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<JpegCandidate | undefined> {
  const { bytes, structure } = source;
  const mustScale = !sameSize(size, source.dimensions);
  const isCmyk = structure.components.length === 4;
  const pixels = await stopwatch.time('decode', () =>
    codec.decode(bytes, {
      orientation: structure.orientation,
      ...(mustScale ? { size } : {}),
      ...(isCmyk ? { toSrgb: true } : {}),
    }),
  );
  const chroma = chooseChroma(pixels, isChromaHalved(structure));
  const iccProfile = isCmyk ? undefined : structure.iccProfile;
  const keptProfile = iccProfile && !isPlainSrgb(iccProfile) ? { iccProfile } : {};

  const mosaic = sampleMosaic(pixels);
  const mosaicReference = new ScoreReference(mosaic);
  const sample = (quality: number): Promise<number> =>
    stopwatch.time('search', async () => {
      const encoded = await codec.encode(mosaic, { quality, chroma, purpose: 'search' });
      return mosaicReference.score(await codec.decode(encoded, { orientation: 1 }));
    });
  const reference = await stopwatch.time('verify', () => new ScoreReference(pixels));
  const whole = async (quality: number): Promise<JpegCandidate> => {
    const encoded = await stopwatch.time('encode', () =>
      codec.encode(pixels, { quality, chroma, purpose: 'delivery' }),
    );
    const delivered = withMetadata(encoded, keptProfile);
    // The score is taken from the bytes that would be delivered, not from what was meant to be encoded.
    const score = await stopwatch.time('verify', async () =>
      reference.score(await codec.decode(delivered, { orientation: 1 })),
    );
    return { bytes: delivered, quality, score, dimensions: size };
  };
  const range = searchRange(structure, mustScale);
  const { passing, evaluations } = await searchQuality(range, policy.targetScore, { sample, whole });
  return passing ?? (mustScale ? evaluations.find(({ quality }) => quality === range.highest) : undefined);
}

/** A source that was saved at a low quality has nothing to gain from a higher one. */
function searchRange({ lumaDivisors }: JpegStructure, mustScale: boolean): QualityRange {
  if (mustScale || !lumaDivisors) return SEARCH_RANGE;
  return {
    lowest: SEARCH_RANGE.lowest,
    highest: Math.max(SEARCH_RANGE.lowest, Math.min(SEARCH_RANGE.highest, estimateQuality(lumaDivisors))),
  };
}

async function recode(
  { bytes, structure, dimensions }: JpegSource,
  codec: JpegCodec,
  stopwatch: Stopwatch,
): Promise<JpegCandidate | undefined> {
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { iccProfile, orientation, lumaDivisors } = structure;
  return {
    bytes: withMetadata(recoded, {
      orientation,
      ...(iccProfile && !isPlainSrgb(iccProfile) ? { iccProfile } : {}),
    }),
    quality: lumaDivisors ? estimateQuality(lumaDivisors) : 100,
    score: 1,
    dimensions,
  };
}
