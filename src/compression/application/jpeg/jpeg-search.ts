/** Finds the encode within the allowed loss, and verifies its decoded bytes. */
import { ScoreReference } from '../../domain/score/ssim-score';
import { mosaicOf } from '../../domain/search/mosaic';
import { chooseChroma, searchQuality } from '../../domain/search/quality-search';
import { likelyQuality, type TrialCurve } from '../../domain/search/trial-curve';
import { withMetadataOf } from '../../formats/jpeg/jpeg-metadata';
import type { Pixels } from '../../domain/pixels';
import type { JpegHeader } from '../codecs.port';
import type { Candidate } from '../outcome';
import { meanwhile } from '../work';
import { allowanceFor, type Allowance } from './jpeg-allowance';
import type { JpegWork } from './jpeg-work';
import { MosaicTrials } from './mosaic-trials';

export type JpegCandidate = Candidate & { readonly quality: number };

/** If the prediction exceeds the upload by more than this factor, no full encode is made. Predictions are accurate to 15%. */
const HOPELESS_SIZE = 1.2;
/** Bytes of a progressive image ÷ baseline bytes of its mosaic, for the same area. */
export const PROGRESSIVE_SHARE = 0.94;

/** Encodes and scores the whole image; expensive. */
export class JpegVerifier {
  private reference: ScoreReference | undefined;
  private added = 0;

  constructor(private readonly work: JpegWork) {}

  /** Bytes of the last file besides its coded image. */
  get overhead(): number {
    return this.added;
  }

  /** Encodes the image at a quality and scores the bytes to deliver. */
  async encode({ chroma }: TrialCurve, quality: number): Promise<JpegCandidate> {
    const { codec, policy, stopwatch } = this.work;
    const { pixels } = await this.work.image();
    const options = { quality, chroma, purpose: 'delivery', effort: policy.effort } as const;
    return this.verify(await stopwatch.time('encode', () => codec.encode(pixels, options)), quality);
  }

  /** Adds the metadata to an encoded image and scores the bytes to deliver. */
  async verify(encoded: Uint8Array, quality: number): Promise<JpegCandidate> {
    const { source, codec, stopwatch, metadataOptions, size } = this.work;
    const { pixels } = await this.work.image();
    const bytes = withMetadataOf(source.structure, encoded, metadataOptions);
    this.added = bytes.length - encoded.length;
    const score = await stopwatch.time('verify', async () => {
      const decoding = codec.decode(bytes, { header: headerOf(pixels), orientation: 1 });
      const prepare = () => (this.reference ??= new ScoreReference(pixels, this.work.density));
      const [decoded, reference] = await meanwhile(decoding, prepare);
      return reference.score(decoded);
    });
    return { bytes, quality, score, dimensions: size };
  }
}

function headerOf({ width, height, channels }: Pixels): JpegHeader {
  return { storedSize: { width, height }, components: { length: channels === 1 ? 1 : 3 } };
}

/** The lossy encode that seems best, predicted before the whole image is encoded. */
export interface LossyPrediction {
  readonly curve: TrialCurve;
  readonly trials: MosaicTrials;
  /** Expected size of the file; predictions are accurate to 15%. */
  readonly bytes: number;
}

const known = new WeakMap<JpegWork, Promise<LossyPrediction | undefined>>();

/** Returns the prediction for a work, made once; undefined if only lossless changes are allowed. */
export function predictLossy(work: JpegWork): Promise<LossyPrediction | undefined> {
  const prediction = known.get(work) ?? predict(work);
  known.set(work, prediction);
  return prediction;
}

async function predict(work: JpegWork): Promise<LossyPrediction | undefined> {
  const { loss, upload } = await allowanceFor(work);
  if (loss === 0) return undefined;
  const { pixels, chromaModes } = await work.image();
  const { density, range } = work;
  const trials = new MosaicTrials(mosaicOf(pixels, undefined, { density }), work);
  const curves = chromaModes.map((chroma) => trials.curve(chroma));
  const { curve, size } = await chooseChroma(curves, loss, range, likelyQuality(loss, upload, density));
  return { curve, trials, bytes: size * trials.areaRatio(pixels) * PROGRESSIVE_SHARE };
}

/**
 * Returns the result with the lowest quality that passes; if none does and the image has to be scaled, the result with the highest
 * quality. Returns undefined if no quality saves enough.
 */
export async function searchLossy(
  work: JpegWork,
  { loss }: Allowance,
  prediction: LossyPrediction | undefined,
  verifier: JpegVerifier,
): Promise<JpegCandidate | undefined> {
  if (!prediction) return undefined;
  const { curve, trials, bytes } = prediction;
  if (!work.isScaled && bytes > work.source.bytes.length * HOPELESS_SIZE) return undefined;
  const { pixels } = await work.image();
  const { passing, tried } = await searchQuality(curve, {
    range: work.range,
    allowedLoss: loss,
    effort: work.policy.effort,
    pixels: pixels.width * pixels.height,
    relativeError: trials.relativeError,
    encode: (quality) => verifier.encode(curve, quality),
  });
  if (passing || !work.isScaled) return passing;
  return tried.reduce((best, result) => (result.score > best.score ? result : best));
}

/** Returns the image encoded with the tables of its former coding; undefined if that is impossible or loses too much. */
export async function restoreFormerCoding(
  { codec, policy, stopwatch, appliedOrientation, image }: JpegWork,
  { former }: Allowance,
  verifier: JpegVerifier,
): Promise<JpegCandidate | undefined> {
  // The block grid must be the same.
  if (!former || appliedOrientation !== 1) return undefined;
  const { pixels } = await image();
  const encoded = await stopwatch.time('encode', () => codec.encodeWithFormerTables(pixels, former));
  const candidate = encoded && (await verifier.verify(encoded, former.quality));
  return candidate && candidate.score >= policy.targetScore ? candidate : undefined;
}
