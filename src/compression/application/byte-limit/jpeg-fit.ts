/**
 * Fits a JPEG into a byte limit: the highest quality whose file fits. The mosaic, encoded at a few qualities, predicts sizes and
 * losses. The whole image is encoded, decoded and scored before delivery.
 */
import type { RemovedCompanion } from '../../../contract/report-words';
import { highestThatFits } from '../../domain/byte-limit/fit-search';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { Pixels } from '../../domain/pixels';
import type { JpegSource } from '../../formats/image-header';
import { withMetadataOf } from '../../formats/jpeg/jpeg-metadata';
import { allowanceFor } from '../jpeg/jpeg-allowance';
import { companionsOfResult, compressJpeg } from '../jpeg/jpeg-recipe';
import { searchOf, type JpegSearch } from '../jpeg/jpeg-search';
import { JpegWork } from '../jpeg/jpeg-work';
import type { Outcome } from '../outcome';
import type { Encoded, LossyAttempt } from '../results/lossy-attempt';
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

/** The image at one size. */
interface SizedJpeg {
  readonly search: JpegSearch;
  readonly modes: readonly ChromaMode[];
}

/** A chroma mode with its predictions. */
interface ChromaMode {
  readonly attempt: LossyAttempt;
  /** Lowest quality to consider. */
  readonly lowest: number;
  readonly highest: number;
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
    const minBytes = Math.min(...sized.modes.map((mode) => this.bytesAt(mode, mode.lowest)));
    if (minBytes > maxBytes * HOPELESS_SIZE) return { minBytes };
    const mode = sized.modes.reduce((best, other) => (this.lossOf(other) < this.lossOf(best) ? other : best));
    const { curve } = mode.attempt;
    for (let check = 0; check < CHECKS; check++) {
      const quality = this.highestWithin(mode);
      await curve.confirm(curve.lossAt(quality), { lowest: quality, highest: quality });
    }
    const found = await this.highestThatFits(sized, mode);
    return { ...found, minBytes: Math.max(maxBytes, Math.min(found.minBytes, minBytes)) };
  }

  /** The usual recipe stops near the lowest quality that passes, so this tries the qualities below one by one. */
  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const policy = { ...this.policyAt(maxDimensionPx), minSavingsRatio: 0 };
    const usual = await compressJpeg({ ...this.work, policy });
    const sized = mayChange(usual) ? await this.prepare(maxDimensionPx) : undefined;
    if (!sized) return usual;
    let least: Outcome = usual;
    for (const mode of sized.modes) {
      for (let quality = mode.lowest; quality <= mode.highest; quality++) {
        const encoded = await this.encode(sized, mode, quality);
        if (encoded.bytes.length >= least.bytes.length) break;
        if (mode.attempt.passes(encoded)) least = { ...encoded.candidate, removed: this.removed };
      }
    }
    return least;
  }

  /** Returns undefined if only lossless changes are allowed. */
  private async prepare(maxDimensionPx: number): Promise<SizedJpeg | undefined> {
    const work = new JpegWork({ ...this.work, source: this.source, policy: this.policyAt(maxDimensionPx) });
    const { loss } = await allowanceFor(work);
    // At smaller dimensions colours are converted, and earlier losses count less.
    if (loss === 0 || (work.isConverted && !work.isScaled)) return undefined;
    const search = await searchOf(work);
    const modes: ChromaMode[] = [];
    for (const attempt of search.attempts) {
      const { curve, range } = attempt;
      await curve.find(loss, range, search.start);
      modes.push({ attempt, lowest: attempt.lowest(MARGIN_OF_LOSS), highest: range.highest });
    }
    return { search, modes };
  }

  private policyAt(maxDimensionPx: number): CompressionPolicy {
    return { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
  }

  /** Predicts the size of the whole file. */
  private bytesAt({ attempt }: ChromaMode, quality: number): number {
    return this.overhead + attempt.bytesAt(quality);
  }

  /** Returns the predicted loss at the highest quality that seems to fit. */
  private lossOf(mode: ChromaMode): number {
    if (this.bytesAt(mode, mode.lowest) > this.work.byteLimit.maxBytes * HOPELESS_SIZE) return Infinity;
    return mode.attempt.curve.lossAt(this.highestWithin(mode));
  }

  private highestWithin(mode: ChromaMode): number {
    let quality = mode.lowest;
    while (quality < mode.highest && this.bytesAt(mode, quality + 1) <= this.work.byteLimit.maxBytes)
      quality++;
    return quality;
  }

  private async highestThatFits(sized: SizedJpeg, mode: ChromaMode): Promise<Attempt> {
    const { fitting, minBytes } = await highestThatFits({
      range: mode,
      maxBytes: this.work.byteLimit.maxBytes,
      predict: (quality) => this.bytesAt(mode, quality),
      encode: (quality) => this.encode(sized, mode, quality),
      passes: (encoded) => mode.attempt.passes(encoded),
      maxEncodes: MAX_ENCODES,
    });
    return { ...(fitting ? { fitting: { ...fitting.candidate, removed: this.removed } } : {}), minBytes };
  }

  /** Encodes and scores the whole image. */
  private async encode({ search }: SizedJpeg, { attempt }: ChromaMode, quality: number): Promise<Encoded> {
    const encoded = await attempt.encode(quality);
    this.overhead = search.overhead;
    return encoded;
  }
}
