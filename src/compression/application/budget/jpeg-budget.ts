/**
 * Fits a JPEG into a budget: the highest quality whose file fits. The mosaic, encoded at a few qualities, predicts
 * sizes and losses. The whole image is encoded, decoded and scored before it is delivered.
 */
import type { RemovedCompanion } from '../../../contract/report-words';
import { keptCompanions } from '../../domain/companion-rule';
import { highestThatFits } from '../../domain/budget/fit-search';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { Dimensions } from '../../domain/dimensions';
import { mosaicOf } from '../../domain/search/mosaic';
import { likelyQuality, SEARCH_RANGE, type TrialCurve } from '../../domain/search/trial-curve';
import type { ImageHeader } from '../../formats/image-header';
import { allowanceFor, type Allowance } from '../jpeg-allowance';
import { compressJpeg } from '../jpeg-recipe';
import { JpegVerifier, PROGRESSIVE_SHARE } from '../jpeg-search';
import { decodeUpload, type DecodedJpeg, type JpegSource } from '../jpeg-source';
import { MosaicTrials } from '../mosaic-trials';
import type { Outcome } from '../outcome';
import type { Attempt, BudgetWork, SizedRecipe } from './sized-recipe';

/**
 * If the predicted size exceeds the budget by more than this factor, no full encode is made. Predictions are accurate
 * to 15 %.
 */
const HOPELESS_SIZE = 1.2;
/**
 * The loss of the mosaic is accurate to 5 %, so the search may go as low as a mosaic with this much more loss allows.
 */
const MARGIN_OF_LOSS = 1.05;

/** Trial encodes of the mosaic at the quality that seems to fit, before the whole image is encoded. */
const CHECKS = 2;
/** Full encodes at one size. Each corrects the predictions, so the second one usually fits. */
const MAX_ENCODES = 5;

type JpegHeader = ImageHeader & { format: 'jpeg' };

/** A chroma mode with its predictions. */
interface ChromaMode {
  readonly curve: TrialCurve;
  /** Lowest quality to consider. */
  readonly lowest: number;
  /** Predicts the size of the whole file. */
  readonly bytesAt: (quality: number) => number;
}

export class JpegBudget implements SizedRecipe {
  private readonly source: JpegSource;
  private readonly removed: readonly RemovedCompanion[];
  /** Bytes of the file besides the coded image; known after the first encode. */
  private overhead = 0;

  constructor(private readonly work: BudgetWork<JpegHeader>) {
    const { bytes, header, policy } = work;
    const { companions, removed } = keptCompanions(header.structure.companions, policy.keepCompanions);
    this.source = { bytes, ...header, structure: { ...header.structure, companions } };
    this.removed = removed;
  }

  async fitAt(maxDimensionPx: number): Promise<Attempt> {
    const { engine, stopwatch, budget } = this.work;
    const policy = this.policyAt(maxDimensionPx);
    const image = await decodeUpload(this.source, engine.jpeg, policy, stopwatch);
    const allowance = await allowanceFor(this.source, image, engine.jpeg, policy, stopwatch);
    const isCmyk = this.source.structure.components.length === 4;
    // At smaller dimensions CMYK is converted, and earlier losses count less.
    if (allowance.loss === 0 || (isCmyk && !image.isScaled)) return { minBytes: budget.maxBytes };

    const modes = await this.chromaModes(image, allowance);
    const minBytes = Math.min(...modes.map(({ lowest, bytesAt }) => bytesAt(lowest)));
    if (minBytes > budget.maxBytes * HOPELESS_SIZE) return { minBytes };
    const mode = modes.reduce((best, other) => (this.lossOf(other) < this.lossOf(best) ? other : best));
    for (let check = 0; check < CHECKS; check++) {
      const quality = this.highestWithin(mode);
      await mode.curve.confirm(mode.curve.lossAt(quality), { lowest: quality, highest: quality });
    }
    const found = await this.search(mode, image, allowance);
    return { ...found, minBytes: Math.max(budget.maxBytes, Math.min(found.minBytes, minBytes)) };
  }

  smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const { bytes, header, engine, stopwatch } = this.work;
    const policy = { ...this.policyAt(maxDimensionPx), minSavingsRatio: 0 };
    return compressJpeg({ bytes, ...header }, engine.jpeg, policy, stopwatch);
  }

  private policyAt(maxDimensionPx: number): CompressionPolicy {
    return { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
  }

  private async chromaModes(image: DecodedJpeg, allowance: Allowance): Promise<ChromaMode[]> {
    const trials = new MosaicTrials(mosaicOf(image.pixels), this.work.engine.jpeg, this.work.stopwatch);
    const share = PROGRESSIVE_SHARE * (areaOf(image.pixels) / areaOf(trials.mosaic.pixels));
    const start = likelyQuality(allowance.loss, allowance.upload);
    const modes: ChromaMode[] = [];
    for (const chroma of image.chromaModes) {
      const curve = trials.curve(chroma);
      await curve.find(allowance.loss, SEARCH_RANGE, start);
      const lowest = Math.floor(inRange(curve.qualityFor(allowance.loss * MARGIN_OF_LOSS)));
      modes.push({ curve, lowest, bytesAt: (quality) => this.overhead + curve.sizeAt(quality) * share });
    }
    return modes;
  }

  /** Returns the predicted loss at the highest quality that seems to fit. */
  private lossOf(mode: ChromaMode): number {
    if (mode.bytesAt(mode.lowest) > this.work.budget.maxBytes * HOPELESS_SIZE) return Infinity;
    return mode.curve.lossAt(this.highestWithin(mode));
  }

  private highestWithin({ lowest, bytesAt }: ChromaMode): number {
    let quality = lowest;
    while (quality < SEARCH_RANGE.highest && bytesAt(quality + 1) <= this.work.budget.maxBytes) quality++;
    return quality;
  }

  private search({ curve, lowest, bytesAt }: ChromaMode, image: DecodedJpeg, allowance: Allowance) {
    const { engine, stopwatch, budget, policy } = this.work;
    const verifier = new JpegVerifier(this.source, image, engine.jpeg, stopwatch);
    return highestThatFits({
      range: { ...SEARCH_RANGE, lowest },
      maxBytes: budget.maxBytes,
      predict: bytesAt,
      encode: async (quality) => {
        const options = {
          quality,
          chroma: curve.chroma,
          purpose: 'delivery',
          effort: policy.effort,
        } as const;
        const encoded = await stopwatch.time('encode', () => engine.jpeg.encode(image.pixels, options));
        const candidate = await verifier.verify(encoded, quality);
        this.overhead = candidate.bytes.length - encoded.length;
        return { ...candidate, removed: this.removed };
      },
      passes: ({ score }) => 1 - score <= allowance.loss,
      maxEncodes: MAX_ENCODES,
    });
  }
}

function areaOf({ width, height }: Dimensions): number {
  return width * height;
}

function inRange(quality: number): number {
  return Math.max(SEARCH_RANGE.lowest, Math.min(SEARCH_RANGE.highest, quality));
}
