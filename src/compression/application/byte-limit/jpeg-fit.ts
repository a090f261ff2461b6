/**
 * Fits a JPEG into a byte limit: the highest quality whose file fits. The mosaic, encoded at a few qualities, predicts sizes and
 * losses. The whole image is encoded, decoded and scored before delivery.
 */
import type { RemovedCompanion } from '../../../contract/report-words';
import { highestThatFits } from '../../domain/byte-limit/fit-search';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { Pixels } from '../../domain/pixels';
import { mosaicOf } from '../../domain/search/mosaic';
import { likelyQuality, within, type QualityRange, type TrialCurve } from '../../domain/search/trial-curve';
import type { JpegSource } from '../../formats/image-header';
import { withMetadataOf } from '../../formats/jpeg/jpeg-metadata';
import { allowanceFor, type Allowance } from '../jpeg/jpeg-allowance';
import { companionsOfResult, compressJpeg } from '../jpeg/jpeg-recipe';
import { JpegVerifier, PROGRESSIVE_SHARE } from '../jpeg/jpeg-search';
import { JpegWork } from '../jpeg/jpeg-work';
import { MosaicTrials } from '../jpeg/mosaic-trials';
import type { Candidate, Outcome } from '../outcome';
import { mayChange, type Attempt, LimitedWork, SizedRecipe } from './sized-recipe';

/** If the prediction exceeds the byte limit by more than this factor, no full encode is made. Predictions are accurate to 15%. */
const HOPELESS_SIZE = 1.2;
/** Extra loss of the mosaic that the search accepts: its loss is accurate to 5%. */
const MARGIN_OF_LOSS = 1.05;

/** Trial encodes of the mosaic at the quality that seems to fit, before the whole image is encoded. */
const CHECKS = 2;
/** Maximum number of full encodes at one size. Each corrects the predictions, so the second one usually fits. */
const MAX_ENCODES = 5;
/** Encoded to measure the overhead of a file. */
const TINY: Pixels = { width: 8, height: 8, channels: 4, data: new Uint8Array(8 * 8 * 4) };

/** A chroma mode with its predictions. */
interface ChromaMode {
  readonly curve: TrialCurve;
  /** Lowest quality to consider. */
  readonly lowest: number;
  readonly highest: number;
  /** Predicts the size of the whole file. */
  readonly bytesAt: (quality: number) => number;
}

/** The image at one size. */
interface SizedJpeg {
  readonly allowedLoss: number;
  readonly range: QualityRange;
  readonly modes: readonly ChromaMode[];
  readonly verifier: JpegVerifier;
}

export class JpegFit implements SizedRecipe {
  private readonly source: JpegSource;
  private readonly removed: readonly RemovedCompanion[];
  /** Bytes of the file besides the coded image; known after the first encode. */
  private overhead = 0;

  constructor(private readonly work: LimitedWork<JpegSource>) {
    const { source } = work;
    const { companions, removed } = companionsOfResult(work);
    this.source = { ...source, structure: { ...source.structure, companions } };
    this.removed = removed;
  }

  hopelessUsualBytes(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async surroundingBytes(): Promise<number> {
    const { policy, engine } = this.work;
    const tiny = await engine.jpeg.encode(TINY, { quality: 50, chroma: '4:2:0', purpose: 'delivery' });
    const { keepMetadata: keep, targetScore, density } = policy;
    const { dimensions } = this.source;
    const written = { keep, orientation: 1, dimensions, targetScore, density } as const;
    return withMetadataOf(this.source.structure, tiny, written).length - tiny.length;
  }

  async fitAt(maxDimensionPx: number): Promise<Attempt> {
    const { maxBytes } = this.work.byteLimit;
    const sized = await this.prepare(maxDimensionPx);
    if (!sized) return { minBytes: maxBytes };
    const minBytes = Math.min(...sized.modes.map(({ lowest, bytesAt }) => bytesAt(lowest)));
    if (minBytes > maxBytes * HOPELESS_SIZE) return { minBytes };
    const mode = sized.modes.reduce((best, other) => (this.lossOf(other) < this.lossOf(best) ? other : best));
    for (let check = 0; check < CHECKS; check++) {
      const quality = this.highestWithin(mode);
      await mode.curve.confirm(mode.curve.lossAt(quality), { lowest: quality, highest: quality });
    }
    const found = await this.search(sized, mode);
    return { ...found, minBytes: Math.max(maxBytes, Math.min(found.minBytes, minBytes)) };
  }

  /** The usual recipe stops near the lowest quality that passes, so this tries the qualities below one by one. */
  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const policy = { ...this.policyAt(maxDimensionPx), minSavingsRatio: 0 };
    const usual = await compressJpeg({ ...this.work, policy });
    const sized = mayChange(usual) ? await this.prepare(maxDimensionPx) : undefined;
    if (!sized) return usual;
    let least = { outcome: usual, size: usual.bytes.length };
    for (const mode of sized.modes) {
      for (let quality = mode.lowest; quality <= sized.range.highest; quality++) {
        const outcome = await this.encode(sized, mode, quality);
        const size = outcome.bytes.length;
        if (size >= least.size) break;
        if (1 - outcome.score <= sized.allowedLoss) least = { outcome, size };
      }
    }
    return least.outcome;
  }

  /** Returns undefined if only lossless changes are allowed. */
  private async prepare(maxDimensionPx: number): Promise<SizedJpeg | undefined> {
    const work = new JpegWork({ ...this.work, source: this.source, policy: this.policyAt(maxDimensionPx) });
    const allowance = await allowanceFor(work);
    // At smaller dimensions colours are converted, and earlier losses count less.
    if (allowance.loss === 0 || (work.isConverted && !work.isScaled)) return undefined;
    const modes = await this.chromaModes(work, allowance);
    return { allowedLoss: allowance.loss, range: work.range, modes, verifier: new JpegVerifier(work) };
  }

  private policyAt(maxDimensionPx: number): CompressionPolicy {
    return { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
  }

  private async chromaModes(work: JpegWork, { loss, upload }: Allowance): Promise<ChromaMode[]> {
    const { pixels, chromaModes } = await work.image();
    const { density, range } = work;
    const trials = new MosaicTrials(mosaicOf(pixels, undefined, { density }), work);
    const share = PROGRESSIVE_SHARE * trials.areaRatio(pixels);
    const start = likelyQuality(loss, upload, density);
    const modes: ChromaMode[] = [];
    for (const chroma of chromaModes) {
      const curve = trials.curve(chroma);
      await curve.find(loss, range, start);
      const lowest = Math.floor(within(range, curve.qualityFor(loss * MARGIN_OF_LOSS)));
      modes.push({
        curve,
        lowest,
        highest: range.highest,
        bytesAt: (quality) => this.overhead + curve.sizeAt(quality) * share,
      });
    }
    return modes;
  }

  /** Returns the predicted loss at the highest quality that seems to fit. */
  private lossOf(mode: ChromaMode): number {
    if (mode.bytesAt(mode.lowest) > this.work.byteLimit.maxBytes * HOPELESS_SIZE) return Infinity;
    return mode.curve.lossAt(this.highestWithin(mode));
  }

  private highestWithin({ lowest, highest, bytesAt }: ChromaMode): number {
    let quality = lowest;
    while (quality < highest && bytesAt(quality + 1) <= this.work.byteLimit.maxBytes) quality++;
    return quality;
  }

  private search(sized: SizedJpeg, mode: ChromaMode) {
    return highestThatFits({
      range: { ...sized.range, lowest: mode.lowest },
      maxBytes: this.work.byteLimit.maxBytes,
      predict: mode.bytesAt,
      encode: (quality) => this.encode(sized, mode, quality),
      passes: ({ score }) => 1 - score <= sized.allowedLoss,
      maxEncodes: MAX_ENCODES,
    });
  }

  /** Encodes and scores the whole image. */
  private async encode({ verifier }: SizedJpeg, { curve }: ChromaMode, quality: number): Promise<Candidate> {
    const candidate = await verifier.encode(curve, quality);
    this.overhead = verifier.overhead;
    return { ...candidate, removed: this.removed };
  }
}
