/**
 * Fits an image into a budget in another format: the highest quality whose file fits, in the format that seems smallest at
 * the lowest acceptable quality.
 */
import type { TargetFormat } from '../../../contract/formats';
import type { Outcome } from '../outcome';
import { openConversions, predicted } from '../targets/choose-format';
import type { Conversion } from '../targets/conversion';
import type { Attempt, BudgetWork, SizedRecipe } from './sized-recipe';

/** If the prediction exceeds the budget by more than this factor, no full encode is made. */
const HOPELESS_SIZE = 1.2;
/** Full encodes at one size. */
const MAX_ENCODES = 4;

export class ConversionBudget implements SizedRecipe {
  constructor(
    private readonly work: BudgetWork,
    private readonly formats: readonly TargetFormat[],
  ) {}

  /** Metadata counts with the file of every attempt. */
  surroundingBytes(): Promise<number> {
    return Promise.resolve(0);
  }

  async fitAt(maxDimensionPx: number): Promise<Attempt> {
    const { maxBytes } = this.work.budget;
    const { conversion, bytes } = await this.smallestFormatAt(maxDimensionPx);
    if (bytes > maxBytes * HOPELESS_SIZE) return { minBytes: bytes };
    return conversion.fit(maxBytes, MAX_ENCODES);
  }

  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const { conversion } = await this.smallestFormatAt(maxDimensionPx);
    return conversion.run();
  }

  private async smallestFormatAt(
    maxDimensionPx: number,
  ): Promise<{ readonly conversion: Conversion; readonly bytes: number }> {
    const policy = { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
    const [smallest] = await predicted(await openConversions({ ...this.work, policy }, this.formats));
    return smallest;
  }
}
