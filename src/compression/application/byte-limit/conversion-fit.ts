/**
 * Fits an image into a byte limit in another format: the highest quality whose file fits, in the format that seems smallest at
 * the lowest acceptable quality. At dimensions too large for every other format, the image keeps its own if that is accepted.
 */
import type { ResultFormatName } from '../../../contract/formats';
import type { Outcome } from '../outcome';
import { openConversions, predicted, type Bid } from '../results/choose-format';
import type { Attempt, LimitedWork, SizedRecipe } from './sized-recipe';

/** If the prediction exceeds the byte limit by more than this factor, no full encode is made. */
const HOPELESS_SIZE = 1.2;
/** Maximum number of full encodes at one size. */
const MAX_ENCODES = 4;

export class ConversionFit implements SizedRecipe {
  constructor(
    private readonly work: LimitedWork,
    private readonly formats: readonly ResultFormatName[],
    /** The recipe of the upload's own format. */
    private readonly own: SizedRecipe,
  ) {}

  async fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt> {
    const { maxBytes } = this.work.byteLimit;
    const smallest = await this.smallestFormatAt(maxDimensionPx);
    if (!smallest) return this.own.fitAt(maxDimensionPx, usualBytes);
    const { conversion, bytes } = smallest;
    if (bytes > maxBytes * HOPELESS_SIZE) return { minBytes: bytes };
    return conversion.fit(maxBytes, MAX_ENCODES);
  }

  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const smallest = await this.smallestFormatAt(maxDimensionPx);
    return smallest ? (await smallest.conversion.run()).candidate : this.own.smallestAt(maxDimensionPx);
  }

  /** Returns undefined if the image has to keep its own format. */
  private async smallestFormatAt(maxDimensionPx: number): Promise<Bid | undefined> {
    const policy = { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
    return (await predicted(await openConversions({ ...this.work, policy }, this.formats))).at(0);
  }
}
