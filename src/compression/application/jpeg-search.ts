/**
 * The third stage of the JPEG recipe: finds the encode that loses at most what is allowed, and verifies its decoded
 * bytes.
 */
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

/** If the predicted size exceeds this share of the upload, no full encode is made. Predictions are accurate to 15 %. */
const HOPELESS_SIZE = 1.2;
/** Bytes of a progressive image ÷ baseline bytes of its mosaic, for the same area. */
export const PROGRESSIVE_SHARE = 0.94;

/** Encodes and scores the whole image; expensive. */
export class JpegVerifier {
  private reference: ScoreReference | undefined;

  constructor(
    private readonly source: JpegSource,
    private readonly image: DecodedJpeg,
    private readonly codec: JpegCodec,
    private readonly stopwatch: Stopwatch,
  ) {}

  /** Adds the metadata to an encoded image and scores the bytes to deliver. */
  async verify(encoded: Uint8Array, quality: number): Promise<JpegCandidate> {
    const { pixels, metadataOptions, size } = this.image;
    const bytes = withMetadataOf(this.source.structure, encoded, metadataOptions);
    const score = await this.stopwatch.time('verify', async () => {
      const decoding = this.codec.decode(bytes, { orientation: 1 });
      // The decoder runs on its own thread; meanwhile the reference is prepared.
      const reference = (this.reference ??= new ScoreReference(pixels));
      return reference.score(await decoding);
    });
    return { bytes, quality, score, dimensions: size };
  }
}

/**
 * Returns the result with the lowest quality that passes; if none does and the image has to be scaled, the one with the
 * highest quality. Returns undefined if no quality saves enough.
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

/**
 * Returns the image encoded with the tables of its former coding; undefined if that is impossible or the loss is too
 * large.
 */
export async function restoreFormerCoding(
  { pixels, turned }: DecodedJpeg,
  { former }: Allowance,
  verifier: JpegVerifier,
  codec: JpegCodec,
  { targetScore }: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<JpegCandidate | undefined> {
  // The block grid must be the same.
  if (!former || turned !== 1) return undefined;
  const encoded = await stopwatch.time('encode', () => codec.encodeWithFormerTables(pixels, former));
  const candidate = encoded && (await verifier.verify(encoded, former.quality));
  return candidate && candidate.score >= targetScore ? candidate : undefined;
}
