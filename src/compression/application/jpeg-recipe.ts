/**
 * A JPEG in, a smaller JPEG that looks the same out.
 *
 * Lossy first: the lowest quality whose result, decoded again, reaches the target score. Then a lossless
 * rewrite. The smallest that is a worthwhile gain is delivered, else the file as it came.
 * CMYK is never turned into RGB behind the caller's back: it goes to the lossless rewrite at once.
 */
import { acrossBlocks, blockOrigin } from '../domain/history/block-grid';
import { chooseChroma } from '../domain/search/chroma-choice';
import type { CompressionPolicy } from '../domain/compression-policy';
import { fitWithin, sameSize, uprightSize, type Dimensions, type Orientation } from '../domain/dimensions';
import type { Pixels } from '../domain/pixels';
import type { QualityRange } from '../domain/search/quality-curve';
import { SEARCH_RANGE, searchQuality } from '../domain/search/quality-search';
import { sampleMosaic } from '../domain/search/sample-mosaic';
import { chooseSmallest } from '../domain/skip-rule';
import { ScoreReference } from '../domain/score/ssim-score';
import { estimateQuality } from '../domain/history/saved-quality';
import { isChromaHalved, type JpegStructure } from '../formats/jpeg/jpeg-structure';
import { withMetadataOf } from '../formats/jpeg/jpeg-metadata';
import type { JpegCodec } from './codecs.port';
import { remainingOf } from './jpeg-history';
import { JpegSample } from './jpeg-sample';
import { rewriteLosslessly, type JpegSource } from './jpeg-rewrite';
import type { Candidate, Outcome } from './outcome';
import type { Stopwatch } from './stopwatch';

type JpegCandidate = Candidate & { readonly quality: number };

/**
 * Two whole encodes take the time of so many looks at a sample of the size of the picture. With less time than this
 * left, the first result that passes is taken, and encoded in a hurry.
 */
const LOOKS_PER_PICTURE = 3;

export async function compressJpeg(
  source: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  const { companions } = source.structure;
  // Neither has a place in the new file: a film may tell where it was made, and a second view has to stay as it is.
  if (companions.hasVideo) return { skipReason: 'motion-photo' };
  if (companions.hasOtherPictures) return { skipReason: 'multi-picture' };

  const size = fitWithin(source.dimensions, policy.maxDimensionPx);
  const mustScale = !sameSize(size, source.dimensions);
  const isCmyk = source.structure.components.length === 4;

  const lossy = isCmyk && !mustScale ? undefined : await searchLossy(source, size, codec, policy, stopwatch);
  const candidates: Candidate[] = lossy ? [lossy] : [];
  if (!mustScale && !chooseSmallest(source.bytes.length, candidates, { ...policy, mustChange: false })) {
    const lossless = await rewriteLosslessly(source, codec, policy, stopwatch);
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
  // A gain map lies as the stored pixels do: where there is one, both keep the tag that turns them.
  const turn: Orientation = structure.companions.gainMap ? 1 : structure.orientation;
  const orientation: Orientation = turn === 1 ? structure.orientation : 1;
  const pixels = await stopwatch.time('decode', () =>
    codec.decode(bytes, {
      orientation: turn,
      ...(mustScale ? { size: uprightSize(size, orientation) } : {}),
      ...(isCmyk ? { toSrgb: true } : {}),
    }),
  );
  const range = searchRange(structure, mustScale);
  // Scaling leaves no trace of the blocks that the source was coded in.
  const hasGrid = !mustScale && !isCmyk;
  const mosaic = sampleMosaic(pixels, hasGrid ? acrossBlocks(blockOrigin(pixels, turn)) : undefined);
  const sample = new JpegSample(mosaic, codec, stopwatch);
  const [halved, full] = [sample.mode('4:2:0'), sample.mode('4:4:4')];
  const mayBeFull = pixels.channels > 1 && !isChromaHalved(structure);
  const own = mayBeFull ? full : halved;
  const remaining = hasGrid ? await remainingOf(structure, pixels, turn, own, policy.targetScore) : 1;
  if (remaining === 0) return undefined;
  const targetScore = 1 - (1 - policy.targetScore) * remaining;
  // A source of 4:2:0 has no more chroma to keep, unless scaling has brought what it has together.
  const mayKeepChroma = mayBeFull || (mustScale && pixels.channels > 1);
  const { chroma, curve } = await chooseChroma(mayKeepChroma ? [halved, full] : [halved], range, targetScore);
  let alongBlocks: JpegSample | undefined;
  const alignedLoss = async (quality: number) => {
    if (!hasGrid) return curve.look(quality);
    alongBlocks ??= new JpegSample(sampleMosaic(pixels), codec, stopwatch);
    return 1 - (await alongBlocks.look(chroma, quality)).score;
  };

  const effortNow = () => {
    const isHurried = stopwatch.msLeft < sample.msFor(size) * LOOKS_PER_PICTURE;
    return isHurried ? 'fast' : policy.effort;
  };
  const written = {
    keep: policy.keepMetadata,
    orientation,
    dimensions: uprightSize(size, orientation),
    isConverted: isCmyk,
  };
  const encode = (quality: number) =>
    codec.encode(pixels, { quality, chroma, purpose: 'delivery', effort: effortNow() });
  const complete = (jpeg: Uint8Array) => withMetadataOf(structure, jpeg, written);
  const whole = scoredWhole({ pixels, size, encode, complete }, codec, stopwatch);
  const evaluators = { curve, alignedLoss, whole };
  const { passing, evaluations } = await searchQuality(range, targetScore, evaluators, effortNow);
  return passing ?? (mustScale ? evaluations.find(({ quality }) => quality === range.highest) : undefined);
}

/** Codes the whole picture for delivery at a quality, and scores what would go out. */
function scoredWhole(
  picture: {
    readonly pixels: Pixels;
    readonly size: Dimensions;
    readonly encode: (quality: number) => Promise<Uint8Array>;
    readonly complete: (jpeg: Uint8Array) => Uint8Array;
  },
  codec: JpegCodec,
  stopwatch: Stopwatch,
): (quality: number) => Promise<JpegCandidate> {
  const { pixels, size, encode, complete } = picture;
  let reference: ScoreReference | undefined;
  return async (quality) => {
    const encoding = stopwatch.time('encode', () => encode(quality));
    // The encoder works on a thread of its own; the reference is made ready beside it.
    const prepared = (reference ??= new ScoreReference(pixels));
    const bytes = complete(await encoding);
    // The score is taken from the bytes that would be delivered, not from what was meant to be encoded.
    const score = await stopwatch.time('verify', async () =>
      prepared.score(await codec.decode(bytes, { orientation: 1 })),
    );
    return { bytes, quality, score, dimensions: size };
  };
}

/** A source that was saved at a low quality has nothing to gain from a higher one. */
function searchRange({ lumaDivisors }: JpegStructure, mustScale: boolean): QualityRange {
  if (mustScale || !lumaDivisors) return SEARCH_RANGE;
  return {
    lowest: SEARCH_RANGE.lowest,
    highest: Math.max(SEARCH_RANGE.lowest, Math.min(SEARCH_RANGE.highest, estimateQuality(lumaDivisors))),
  };
}
