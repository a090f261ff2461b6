/**
 * Fits a JPEG into a byte limit: the highest quality whose file fits. The mosaic, encoded at a few qualities, predicts sizes and
 * losses. The whole image is encoded, decoded and scored before delivery.
 */
import type { RemovedCompanion } from '../../../contract/report-words';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { Pixels } from '../../domain/pixels';
import type { JpegSource } from '../../formats/image-header';
import { withMetadataOf } from '../../formats/jpeg/jpeg-metadata';
import { compressJpeg, withKeptTrailingData } from '../jpeg/jpeg-recipe';
import { SearchedJpeg, type JpegSearch } from '../jpeg/jpeg-search';
import type { Outcome } from '../outcome';
import type { LossyAttempt } from '../results/lossy-attempt';
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
  readonly search: JpegSearch;
  readonly attempt: LossyAttempt;
  /** Lowest quality to consider. */
  readonly lowest: number;
  readonly highest: number;
}

export class JpegFit implements SizedRecipe {
  private readonly source: JpegSource;
  private readonly removed: readonly RemovedCompanion[];
  /** The search at the latest dimensions. */
  private latest: JpegSearch | undefined;

  constructor(private readonly work: LimitedWork<JpegSource>) {
    ({ source: this.source, removed: this.removed } = withKeptTrailingData(work));
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
    const modes = await this.prepare(maxDimensionPx);
    if (!modes) return { minBytes: maxBytes };
    const minBytes = Math.min(...modes.map((mode) => this.bytesAt(mode, mode.lowest)));
    if (minBytes > maxBytes * HOPELESS_SIZE) return { minBytes };
    const mode = modes.reduce((best, other) => (this.lossOf(other) < this.lossOf(best) ? other : best));
    const { curve } = mode.attempt;
    for (let check = 0; check < CHECKS; check++) {
      const quality = this.highestWithin(mode);
      await curve.confirm(curve.lossAt(quality), { lowest: quality, highest: quality });
    }
    const { fitting, minBytes: least } = await mode.attempt.fit(mode.lowest, {
      maxBytes,
      maxEncodes: MAX_ENCODES,
      predict: (quality) => this.bytesAt(mode, quality),
    });
    return {
      fitting: fitting && { ...fitting.candidate, removed: this.removed },
      minBytes: Math.max(maxBytes, Math.min(least, minBytes)),
    };
  }

  /** The usual recipe stops near the lowest quality that passes, so this tries the qualities below one by one. */
  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const policy = { ...this.policyAt(maxDimensionPx), minSavingsRatio: 0 };
    const usual = await compressJpeg({ ...this.work, policy });
    const modes = mayChange(usual) ? await this.prepare(maxDimensionPx) : undefined;
    if (!modes) return usual;
    let least: Outcome = usual;
    for (const mode of modes) {
      for (let quality = mode.lowest; quality <= mode.highest; quality++) {
        const encoded = await mode.attempt.encode(quality);
        if (encoded.bytes.length >= least.bytes.length) break;
        if (mode.attempt.passes(encoded)) least = { ...encoded.candidate, removed: this.removed };
      }
    }
    return least;
  }

  /** Returns undefined if only lossless changes are allowed. */
  private async prepare(maxDimensionPx: number): Promise<readonly ChromaMode[] | undefined> {
    const work = new SearchedJpeg({
      ...this.work,
      source: this.source,
      policy: this.policyAt(maxDimensionPx),
    });
    const { loss } = await work.allowance();
    // At smaller dimensions colours are converted, and earlier losses count less.
    if (loss === 0 || (work.isConverted && !work.isScaled)) return undefined;
    const search = await work.search();
    search.overhead = this.latest?.overhead ?? 0;
    this.latest = search;
    const modes: ChromaMode[] = [];
    for (const attempt of search.attempts) {
      const { curve, range } = attempt;
      await curve.find(loss, range, search.start);
      modes.push({ search, attempt, lowest: attempt.lowest(MARGIN_OF_LOSS), highest: range.highest });
    }
    return modes;
  }

  private policyAt(maxDimensionPx: number): CompressionPolicy {
    return { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
  }

  /** Predicts the size of the whole file. */
  private bytesAt({ search, attempt }: ChromaMode, quality: number): number {
    return search.overhead + attempt.bytesAt(quality);
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
}
