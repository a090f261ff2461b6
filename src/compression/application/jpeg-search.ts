/** The third stage of the JPEG recipe: encodes that lose at most what is allowed, checked on their decoded bytes. */
import type { CompressionPolicy } from '../domain/compression-policy';
import { ScoreReference } from '../domain/score/ssim-score';
import { mosaicOf } from '../domain/search/mosaic';
import { chooseChroma, searchQuality } from '../domain/search/quality-search';
import { likelyQuality, SEARCH_RANGE } from '../domain/search/trial-curve';
import { withMetadataOf } from '../formats/jpeg/jpeg-metadata';
import type { JpegCodec } from './codecs.port';
import type { Allowance } from './jpeg-allowance';
import type { DecodedJpeg, JpegSource } from './jpeg-source';
import { MosaicTrials } from './mosaic-trials';
import type { Candidate } from './outcome';
import type { Stopwatch } from './stopwatch';

export type JpegCandidate = Candidate & { readonly quality: number };

/** A predicted size above this share of the upload's is not worth a whole encode; predictions are right within 15 %. */
const HOPELESS_SIZE = 1.2;
/** Progressive bytes of an image ÷ baseline bytes of its mosaic, for the same area. */
export const PROGRESSIVE_SHARE = 0.94;

/** Encodes and scores whole images. */
export class JpegVerifier {
  private reference: ScoreReference | undefined;

  constructor(
    private readonly source: JpegSource,
    private readonly image: DecodedJpeg,
    private readonly codec: JpegCodec,
    private readonly stopwatch: Stopwatch,
  ) {}

  /** Completes an encoded image with its metadata, and scores the bytes that would be delivered. */
  async verify(encoded: Uint8Array, quality: number): Promise<JpegCandidate> {
    const { pixels, metadataOptions, size } = this.image;
    const bytes = withMetadataOf(this.source.structure, encoded, metadataOptions);
    const score = await this.stopwatch.time('verify', async () => {
      const decoding = this.codec.decode(bytes, { orientation: 1 });
      // The decoder works on a thread of its own; the reference is prepared meanwhile.
      const reference = (this.reference ??= new ScoreReference(pixels));
      return reference.score(await decoding);
    });
    return { bytes, quality, score, dimensions: size };
  }
}

/**
 * The lowest quality that passes; where the image has to be scaled and none does, the highest one.
 * Undefined when no quality is worth delivering.
 */
export async function searchLossy(
  { bytes }: JpegSource,
  image: DecodedJpeg,
  allowance: Allowance,
  verifier: JpegVerifier,
  codec: JpegCodec,
  { effort }: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<JpegCandidate | undefined> {
  const { pixels, isScaled, chromaModes } = image;
  if (allowance.loss === 0) return undefined;
  const trials = new MosaicTrials(mosaicOf(pixels), codec, stopwatch);
  const curves = chromaModes.map((chroma) => trials.curve(chroma));
  const start = likelyQuality(allowance.loss, allowance.upload);
  const { curve, size } = await chooseChroma(curves, allowance.loss, start);
  const mosaic = trials.mosaic.pixels;
  const area = (pixels.width * pixels.height) / (mosaic.width * mosaic.height);
  if (!isScaled && size * area * PROGRESSIVE_SHARE > bytes.length * HOPELESS_SIZE) return undefined;

  const { chroma } = curve;
  const encode = async (quality: number) => {
    const options = { quality, chroma, purpose: 'delivery', effort } as const;
    return verifier.verify(await stopwatch.time('encode', () => codec.encode(pixels, options)), quality);
  };
  const { passing, tried } = await searchQuality(curve, {
    range: SEARCH_RANGE,
    allowedLoss: allowance.loss,
    effort,
    pixels: pixels.width * pixels.height,
    relativeError: trials.relativeError,
    encode,
  });
  if (passing || !isScaled) return passing;
  return tried.reduce((best, result) => (result.score > best.score ? result : best));
}

/** The image as it was coded before its last coding; undefined when that cannot be done or would be seen. */
export async function restoreFormerCoding(
  { pixels, turned }: DecodedJpeg,
  { former }: Allowance,
  verifier: JpegVerifier,
  codec: JpegCodec,
  { targetScore }: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<JpegCandidate | undefined> {
  // Only on the same grid of blocks.
  if (!former || turned !== 1) return undefined;
  const encoded = await stopwatch.time('encode', () => codec.encodeWithFormerTables(pixels, former));
  const candidate = encoded && (await verifier.verify(encoded, former.quality));
  return candidate && candidate.score >= targetScore ? candidate : undefined;
}
