/** One lossy coding of an image: trials on a mosaic, then a search whose files are decoded and scored as a whole. */
import { highestThatFits } from '../../domain/budget/fit-search';
import type { Pixels } from '../../domain/pixels';
import { LOSS_AT_SSIMULACRA2_80 } from '../../domain/score/ssim-score';
import type { Mosaic } from '../../domain/search/mosaic';
import { MosaicReference } from '../../domain/search/mosaic-score';
import { searchQuality } from '../../domain/search/quality-search';
import { TrialCurve, type TrialResult } from '../../domain/search/trial-curve';
import type { Candidate } from '../outcome';
import { once, type Work } from '../work';
import type { Convertible } from './convertible';
import { overWhite, type Judge } from './judge';
import type { LossyCoding } from './target';

/** Trials until the full encode; a second one is made only if the first was far off. */
const MAX_TRIALS = 2;

/** What a coding is tried on, and how its files are read. */
interface Trial {
  readonly image: Convertible;
  readonly mosaic: Mosaic;
  readonly work: Work;
  decode(file: Uint8Array, original: Pixels): Promise<Pixels>;
}

export class LossyAttempt {
  /** Expected bytes of the file, after `start`. */
  bytes = 0;
  private readonly judge: Judge;
  private readonly curve: TrialCurve;
  /** Loss of the whole image ÷ loss of a trial, usually. */
  private readonly usualRatio: number;
  private relativeError = 0;
  private readonly reference = once(() => {
    const { mosaic } = this.on;
    return new MosaicReference({ ...mosaic, pixels: overWhite(mosaic.pixels) }, this.coding.seamPx);
  });

  constructor(
    private readonly coding: LossyCoding,
    private readonly on: Trial,
  ) {
    const { image, work } = on;
    const { photo, graphic } = coding.lossFactor;
    this.judge = image.judge(image.isPhoto ? photo : graphic);
    this.usualRatio = coding.usualRatio(work.policy.effort, this.imagePixels);
    this.curve = new TrialCurve(coding.chroma, (quality) => this.trial(quality), coding.curve);
  }

  /** Makes the first trial. */
  async start(): Promise<this> {
    const { curve: model, range, usualQuality } = this.coding;
    const start = model.qualityAt(
      model.position(usualQuality) +
        Math.log(this.judge.allowedLoss / LOSS_AT_SSIMULACRA2_80) / model.lossSlope,
    );
    await this.curve.find(this.trialLoss, range, start, 1);
    this.bytes = this.fileBytes(this.curve.sizeFor(this.trialLoss, range));
    return this;
  }

  /** Returns the smallest file that passes; without any, the best there is. */
  async search(): Promise<Candidate> {
    const { coding, judge, curve, usualRatio, imagePixels } = this;
    const { range } = coding;
    const { effort } = this.on.work.policy;
    await curve.find(this.trialLoss, range, curve.qualityFor(this.trialLoss), MAX_TRIALS);
    const { passing, tried } = await searchQuality(curve, {
      range,
      allowedLoss: judge.allowedLoss,
      effort,
      pixels: imagePixels,
      relativeError: this.relativeError,
      usualRatio,
      patience: coding.patience(effort, imagePixels),
      encode: (quality) => this.encode(quality),
    });
    return passing ?? tried.reduce((best, result) => (result.score > best.score ? result : best));
  }

  /**
   * Returns the best file of at most a number of bytes, and the size of the smallest that passes.
   * @param maxEncodes limit of full encodes
   */
  async fit(
    maxBytes: number,
    maxEncodes: number,
  ): Promise<{ readonly fitting?: Candidate; readonly minBytes: number }> {
    const { curve } = this;
    const { range } = this.coding;
    const lowest = Math.floor(curve.qualityFor(this.trialLoss));
    const { fitting, minBytes } = await highestThatFits({
      range: { ...range, lowest: Math.max(range.lowest, Math.min(range.highest, lowest)) },
      maxBytes,
      predict: (quality) => this.fileBytes(curve.sizeAt(quality)),
      encode: (quality) => this.encode(quality),
      passes: ({ score }) => this.passes(score),
      maxEncodes,
    });
    return { ...(fitting ? { fitting } : {}), minBytes: Math.min(minBytes, this.bytes) };
  }

  /** Whether a file with this score looks like the upload. */
  passes(score: number): boolean {
    return 1 - score <= this.judge.allowedLoss;
  }

  /** Loss of a trial whose quality is to be found. */
  private get trialLoss(): number {
    return this.judge.allowedLoss / this.usualRatio;
  }

  private get imagePixels(): number {
    const { width, height } = this.on.image.pixels;
    return width * height;
  }

  /** Returns the bytes that the file takes where the trial takes so many. */
  private fileBytes(trialBytes: number): number {
    const { width, height } = this.on.mosaic.pixels;
    return trialBytes * (this.imagePixels / (width * height)) * this.coding.sizeFactor;
  }

  private trial(quality: number): Promise<TrialResult> {
    const { mosaic, work } = this.on;
    return work.stopwatch.time('search', async () => {
      const encoded = await this.coding.encode(mosaic.pixels, {
        quality,
        purpose: 'trial',
        effort: work.policy.effort,
        imagePixels: this.imagePixels,
        metadata: {},
      });
      const decoded = await this.on.decode(encoded, mosaic.pixels);
      const { score, relativeError } = this.reference().score(overWhite(decoded));
      this.relativeError = Math.max(this.relativeError, relativeError);
      return { loss: 1 - score, size: encoded.length };
    });
  }

  /** Encodes and scores the whole image; expensive. */
  private async encode(quality: number) {
    const { image, work } = this.on;
    const { pixels, metadata, dimensions } = image;
    const { effort } = work.policy;
    const bytes = await work.stopwatch.time('encode', () =>
      this.coding.encode(pixels, {
        quality,
        purpose: 'delivery',
        effort,
        imagePixels: this.imagePixels,
        metadata,
      }),
    );
    const score = await work.stopwatch.time('verify', async () =>
      this.judge.score(await this.on.decode(bytes, pixels)),
    );
    return { bytes, quality, score, dimensions };
  }
}
