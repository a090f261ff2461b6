/**
 * Fits a PNG into a budget: the best palette whose file fits, down to few colours. At smaller dimensions the usual
 * recipe is tried first if its result may fit.
 *
 * Images that must stay lossless (16 bits, colours far from sRGB, PNG_MODE=lossless, our own near-lossless results)
 * only become smaller in dimensions.
 */
import { highestThatFits } from '../../domain/budget/fit-search';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import type { PngSource } from '../../formats/image-header';
import { keptChunks, withColourChunks } from '../../formats/png/png-metadata';
import type { Outcome } from '../outcome';
import { compressPng } from '../png/png-recipe';
import { PngWork } from '../png/png-work';
import { PaletteLadder } from './palette-ladder';
import { mayChange, type Attempt, BudgetWork, SizedRecipe } from './sized-recipe';

/**
 * At smaller dimensions the usual recipe is tried if its result seems to exceed the budget by no more than this factor.
 */
const HOPEFUL = 1.1;

/** If the coarsest palette seems to exceed the budget by more than this factor, no full palette is made. */
const HOPELESS_SIZE = 1.2;
/** Full encodes at one size; each takes 1 s of CPU time per megapixel. */
const MAX_ENCODES = 2;

export class PngBudget implements SizedRecipe {
  private readonly usualSize: Dimensions;
  /** Actual ÷ predicted bytes, once known. */
  private ratio = 1;

  constructor(private readonly work: BudgetWork<PngSource>) {
    this.usualSize = fitWithin(work.source.dimensions, work.policy);
  }

  surroundingBytes(): Promise<number> {
    const { structure, dimensions } = this.work.source;
    const kept = keptChunks(structure, { keep: this.work.policy.keepMetadata, dimensions });
    return Promise.resolve(
      [...kept, ...structure.colourChunks].reduce((sum, { raw }) => sum + raw.length, 0),
    );
  }

  async fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt> {
    const { maxBytes } = this.work.budget;
    const size = this.sizeAt(maxDimensionPx);
    const usualHere = usualBytes * (areaOf(size) / areaOf(this.usualSize));
    if (!sameSize(size, this.usualSize) && usualHere <= maxBytes * HOPEFUL) {
      const usual = await this.usually(maxDimensionPx);
      if (!('skipReason' in usual) && usual.bytes.length <= maxBytes)
        return { fitting: usual, minBytes: usual.bytes.length };
    }
    const ladder = await this.palettesAt(maxDimensionPx);
    const lowest = await ladder?.lowestAcceptable();
    if (!ladder || lowest === undefined) return { minBytes: usualHere };
    const least = Math.min(usualHere, await this.bytesAt(ladder, lowest));
    if (least > maxBytes * HOPELESS_SIZE) return { minBytes: least };
    const { fitting, minBytes } = await this.bestPalette(ladder, lowest);
    return { ...(fitting ? { fitting } : {}), minBytes: Math.max(maxBytes, Math.min(minBytes, least)) };
  }

  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const usual = await this.usually(maxDimensionPx);
    if (!mayChange(usual)) return usual;
    const ladder = await this.palettesAt(maxDimensionPx);
    const coarsest = await ladder?.coarsestAcceptable();
    return coarsest && coarsest.bytes.length < usual.bytes.length ? coarsest : usual;
  }

  private sizeAt(maxDimensionPx: number): Dimensions {
    return fitWithin(this.work.source.dimensions, { ...this.work.policy, maxDimensionPx });
  }

  private usually(maxDimensionPx: number): Promise<Outcome> {
    return compressPng({ ...this.work, policy: { ...this.work.policy, maxDimensionPx, minSavingsRatio: 0 } });
  }

  private async bytesAt(ladder: PaletteLadder, step: number): Promise<number> {
    return this.ratio * (await ladder.predictedBytes(step));
  }

  private bestPalette(ladder: PaletteLadder, lowest: number) {
    return highestThatFits({
      range: { lowest, highest: ladder.highest },
      maxBytes: this.work.budget.maxBytes,
      predict: (step) => this.bytesAt(ladder, step),
      encode: async (step) => {
        const candidate = await ladder.encode(step);
        this.ratio = candidate.bytes.length / (await ladder.predictedBytes(step));
        return candidate;
      },
      passes: ({ score }) => score >= this.work.floor,
      maxEncodes: MAX_ENCODES,
    });
  }

  /** Returns undefined if the image may not become a palette image, or the engine has no quantiser. */
  private async palettesAt(maxDimensionPx: number): Promise<PaletteLadder | undefined> {
    const work = new PngWork({ ...this.work, policy: { ...this.work.policy, maxDimensionPx } });
    const isExact = work.policy.pngMode === 'lossless' || work.wasLossy || (await work.mustStayLossless());
    if (isExact) return undefined;
    const { colourChunks } = work.source.structure;
    const complete = (png: Uint8Array) => work.withMetadata(withColourChunks(png, colourChunks), true);
    const pixels = await work.pixels();
    return new PaletteLadder(
      { pixels, complete },
      this.work.engine.png,
      this.work.floor,
      this.work.stopwatch,
    );
  }
}

function areaOf({ width, height }: Dimensions): number {
  return width * height;
}
