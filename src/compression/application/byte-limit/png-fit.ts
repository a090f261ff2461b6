/**
 * Fits a PNG into a byte limit: the best palette whose file fits, down to few colours. At smaller dimensions it tries the usual recipe
 * first if that may fit.
 *
 * Images that must stay lossless (16 bits, colours far from sRGB, our own near-lossless results) are only scaled down.
 */
import { highestThatFits } from '../../domain/byte-limit/fit-search';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import { FidelityGuard } from '../../domain/fidelity-guard';
import type { PngSource } from '../../formats/image-header';
import { keptChunks } from '../../formats/png/png-metadata';
import type { Outcome } from '../outcome';
import { compressPng } from '../png/png-recipe';
import { PngWork } from '../png/png-work';
import { PaletteLadder } from './palette-ladder';
import { mayChange, type Attempt, LimitedWork, SizedRecipe } from './sized-recipe';

/** At smaller dimensions the usual recipe is tried if its result seems to exceed the limit by no more than this factor. */
const HOPEFUL = 1.1;

/**
 * If the result without a limit seems to exceed the limit by more than this factor, it is not made. Of 102 graphics, no
 * prediction was more than 1.5 times the actual size.
 */
const HOPELESS_USUAL = 1.6;
/** If the coarsest palette seems to exceed the limit by more than this factor, no full palette is made. */
const HOPELESS_SIZE = 1.2;
/** Maximum number of full encodes at one size; each takes 1 s of CPU time per megapixel. */
const MAX_ENCODES = 2;

export class PngFit implements SizedRecipe {
  private readonly usualSize: Dimensions;
  /** Actual ÷ predicted bytes, once known. */
  private ratio = 1;
  /** Bytes per pixel of the usual recipe at the latest dimensions: scaling raises it for graphics. */
  private usualDensity: number | undefined;
  /** The lowest acceptable step at the latest dimensions. */
  private lowest: number | undefined;
  /** The palettes at the latest dimensions. */
  private latest: { readonly size: Dimensions; readonly ladder: PaletteLadder | undefined } | undefined;

  constructor(private readonly work: LimitedWork<PngSource>) {
    this.usualSize = fitWithin(work.source.dimensions, work.policy);
  }

  surroundingBytes(): Promise<number> {
    const { structure, dimensions } = this.work.source;
    const { keepMetadata: keep } = this.work.policy;
    const kept = keptChunks(structure, { keep, dimensions, orientation: 1 });
    const bytes = [...kept.chunks, ...structure.colourChunks].reduce((sum, { raw }) => sum + raw.length, 0);
    return Promise.resolve(bytes);
  }

  /** The smallest palette that passes by score alone is no larger than one that passes the whole guard. */
  async hopelessUsualBytes(): Promise<number | undefined> {
    const { policy, byteLimit } = this.work;
    const ladder = await this.palettesAt(policy.maxDimensionPx);
    const bytes = await ladder?.predictedBytesFor(1 - FidelityGuard.allowedLoss(policy.targetScore));
    return bytes !== undefined && bytes > byteLimit.maxBytes * HOPELESS_USUAL ? bytes : undefined;
  }

  async fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt> {
    const { maxBytes } = this.work.byteLimit;
    const size = this.sizeAt(maxDimensionPx);
    const usualHere = (this.usualDensity ?? usualBytes / areaOf(this.usualSize)) * areaOf(size);
    if (!sameSize(size, this.usualSize) && usualHere <= maxBytes * HOPEFUL) {
      const usual = await this.usually(maxDimensionPx);
      this.usualDensity = usual.bytes.length / areaOf(size);
      if (!('skipReason' in usual) && usual.bytes.length <= maxBytes)
        return { fitting: usual, minBytes: usual.bytes.length };
    }
    const ladder = await this.palettesAt(maxDimensionPx);
    const lowest = await ladder?.lowestAcceptable(this.lowest);
    this.lowest = lowest;
    if (!ladder || lowest === undefined) return { minBytes: usualHere };
    const least = Math.min(usualHere, await this.bytesAt(ladder, lowest));
    if (least > maxBytes * HOPELESS_SIZE) return { minBytes: least };
    const { fitting, minBytes } = await this.bestPalette(ladder, lowest);
    return { fitting, minBytes: Math.max(maxBytes, Math.min(minBytes, least)) };
  }

  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const usual = await this.usually(maxDimensionPx);
    if (!mayChange(usual)) return usual;
    const ladder = await this.palettesAt(maxDimensionPx);
    const coarsest = await ladder?.coarsestAcceptable(this.lowest);
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
      maxBytes: this.work.byteLimit.maxBytes,
      predict: (step) => this.bytesAt(ladder, step),
      encode: async (step) => {
        const candidate = await ladder.encode(step);
        this.ratio = candidate.bytes.length / (await ladder.predictedBytes(step));
        return candidate;
      },
      passes: ({ isAcceptable }) => isAcceptable,
      maxEncodes: MAX_ENCODES,
    });
  }

  /** Returns undefined if the image may not become a palette image, or the engine has no quantiser. */
  private async palettesAt(maxDimensionPx: number): Promise<PaletteLadder | undefined> {
    const size = this.sizeAt(maxDimensionPx);
    if (!this.latest || !sameSize(this.latest.size, size))
      this.latest = { size, ladder: await this.newPalettesAt(maxDimensionPx) };
    return this.latest.ladder;
  }

  private async newPalettesAt(maxDimensionPx: number): Promise<PaletteLadder | undefined> {
    const work = new PngWork({ ...this.work, policy: { ...this.work.policy, maxDimensionPx } });
    const isExact = work.wasLossy || (await work.mustStayLossless());
    if (isExact) return undefined;
    return new PaletteLadder(work, await work.pixels(), this.work.floor);
  }
}

function areaOf({ width, height }: Dimensions): number {
  return width * height;
}
