/** One lossy coding of an image: trials, usually on a mosaic, then a search whose files are decoded and scored as a whole. */
import { highestThatFits } from '../../domain/byte-limit/fit-search';
import type { Pixels } from '../../domain/pixels';
import { LOSS_AT_SSIMULACRA2_80 } from '../../domain/score/ssim-score';
import type { Mosaic } from '../../domain/search/mosaic';
import { MosaicReference } from '../../domain/search/mosaic-score';
import { searchQuality } from '../../domain/search/quality-search';
import {
  TrialCurve,
  type CurveModel,
  type QualityRange,
  type TrialResult,
} from '../../domain/search/trial-curve';
import type { Candidate } from '../outcome';
import { meanwhile, once, type Work } from '../work';
import type { Convertible } from './convertible';
import { overWhite, type Judge } from './judge';
import type { ImageFacts, LossyCoding, TrialPlan } from '../result-format.port';

/** Maximum number of trials before the full encode; further ones are made only if those before were far off. */
const MAX_TRIALS = { straight: 2, bent: 4 };

/** The pixels that trials encode, and the reader of their files. */
interface Trial {
  readonly image: Convertible;
  readonly mosaic: () => Mosaic;
  readonly work: Work;
  decode(file: Uint8Array, original: Pixels): Promise<Pixels>;
}

/** A file of the whole image. */
interface Encoded {
  readonly bytes: Uint8Array;
  /** The score that steers the search; see Judgement. */
  readonly score: number;
  readonly candidate: Candidate & { readonly quality: number };
}

export class LossyAttempt {
  /** Predicted size of the file in bytes, after `start`. */
  bytes = 0;
  private readonly judge: Judge;
  private readonly facts: ImageFacts;
  private readonly plan: TrialPlan;
  private readonly range: QualityRange;
  private readonly model: CurveModel;
  private readonly curve: TrialCurve;
  private readonly files = new Map<number, Promise<Encoded>>();
  private relativeError = 0;
  private readonly reference = once(() => {
    const mosaic = this.on.mosaic();
    return new MosaicReference({ ...mosaic, pixels: overWhite(mosaic.pixels) }, this.coding.tiles.seamPx);
  });

  constructor(
    private readonly coding: LossyCoding,
    private readonly on: Trial,
  ) {
    const { pixels, isPhoto, density, judge } = on.image;
    this.judge = judge();
    this.facts = {
      effort: on.work.policy.effort,
      pixelCount: pixels.width * pixels.height,
      isPhoto,
      density,
    };
    this.plan = coding.trials(this.facts);
    this.range = coding.range(density);
    this.model = coding.curve(density);
    this.curve = new TrialCurve(coding.chroma, (step) => this.trial(step), this.model);
  }

  /** Makes the first trials: one of a mosaic, or up to two of the whole image, which show its size. */
  async start(): Promise<this> {
    const { range, model } = this;
    const start = model.qualityAt(
      model.position(this.plan.usualStep) +
        Math.log(this.judge.allowedLoss / LOSS_AT_SSIMULACRA2_80) / model.lossSlope,
    );
    await this.curve.find(this.trialLoss, range, start, this.plan.of === 'mosaic' ? 1 : this.maxTrials);
    this.bytes = this.fileBytes(this.curve.sizeFor(this.trialLoss, range));
    return this;
  }

  /** Returns the smallest file that passes; without any, the best there is. */
  async search(): Promise<Encoded> {
    const { coding, judge, curve, facts, plan, range } = this;
    await curve.find(this.trialLoss, range, curve.qualityFor(this.trialLoss), this.maxTrials);
    const { passing, tried } = await searchQuality(curve, {
      range,
      allowedLoss: judge.allowedLoss,
      effort: facts.effort,
      pixels: facts.pixelCount,
      relativeError: this.relativeError,
      usualRatio: plan.lossRatio,
      patience: coding.patience(facts),
      encode: (step) => this.encode(step),
    });
    return passing ?? tried.reduce((best, result) => (result.score > best.score ? result : best));
  }

  /**
   * Returns the best file within a byte limit, and the size of the smallest that passes.
   * @param maxEncodes maximum number of full encodes
   */
  async fit(
    maxBytes: number,
    maxEncodes: number,
  ): Promise<{ readonly fitting?: Candidate; readonly minBytes: number }> {
    const { curve, range } = this;
    const lowest = Math.floor(curve.qualityFor(this.trialLoss));
    const { fitting, minBytes } = await highestThatFits({
      range: { ...range, lowest: Math.max(range.lowest, Math.min(range.highest, lowest)) },
      maxBytes,
      predict: (step) => this.fileBytes(curve.sizeAt(step)),
      encode: (step) => this.encode(step),
      passes: (encoded) => this.passes(encoded),
      maxEncodes,
    });
    return { ...(fitting ? { fitting: fitting.candidate } : {}), minBytes: Math.min(minBytes, this.bytes) };
  }

  /** Whether a file looks like the upload. */
  passes({ score }: Pick<Encoded, 'score'>): boolean {
    return 1 - score <= this.judge.allowedLoss;
  }

  private get maxTrials(): number {
    return MAX_TRIALS[this.model.isBent ? 'bent' : 'straight'];
  }

  /** The loss that a trial should have. */
  private get trialLoss(): number {
    return this.judge.allowedLoss / this.plan.lossRatio;
  }

  /** The pixels that trials encode. */
  private get trialPixels(): Pixels {
    return this.plan.of === 'mosaic' ? this.on.mosaic().pixels : this.on.image.pixels;
  }

  /** Scales a trial's size to the size of the file. */
  private fileBytes(trialBytes: number): number {
    const { width, height } = this.trialPixels;
    return trialBytes * (this.facts.pixelCount / (width * height)) * this.plan.sizeRatio;
  }

  private async trial(step: number): Promise<TrialResult> {
    if (this.plan.of === 'file') {
      const { score, bytes } = await this.encode(step);
      return { loss: 1 - score, size: bytes.length };
    }
    const { coding, trialPixels: pixels, facts: image } = this;
    const quality = this.qualityOf(step);
    return this.on.work.stopwatch.time('search', async () => {
      const encoded = await coding.encode(pixels, { quality, purpose: 'trial', image, metadata: {} });
      const decoding = this.on.decode(encoded, pixels);
      const prepare = () => (this.plan.of === 'whole' ? this.judge.prepare() : this.reference());
      const score = this.trialScore((await meanwhile(decoding, prepare))[0]);
      const bitsPerPixel = (8 * encoded.length) / (pixels.width * pixels.height);
      const lossSlope = coding.lossSlope?.(bitsPerPixel, step, image);
      return { loss: 1 - score, size: encoded.length, ...(lossSlope ? { lossSlope } : {}) };
    });
  }

  /** Returns the encoder's quality of a step of the search. */
  private qualityOf(step: number): number {
    return this.coding.qualityOf?.(step) ?? step;
  }

  private trialScore(decoded: Pixels): number {
    if (this.plan.of === 'whole') return this.judge.judge(decoded).searchScore;
    const { score, relativeError } = this.reference().score(overWhite(decoded));
    this.relativeError = Math.max(this.relativeError, relativeError);
    return score;
  }

  /** Returns the file of a step, made once. */
  private encode(step: number): Promise<Encoded> {
    const known = this.files.get(step) ?? this.encodeWhole(this.qualityOf(step));
    this.files.set(step, known);
    return known;
  }

  /** Encodes and scores the whole image; expensive. */
  private async encodeWhole(quality: number): Promise<Encoded> {
    const { image, work } = this.on;
    const { pixels, metadata, dimensions } = image;
    const options = { quality, purpose: 'delivery', image: this.facts, metadata } as const;
    const bytes = await work.stopwatch.time('encode', () => this.coding.encode(pixels, options));
    const { score, searchScore } = await work.stopwatch.time('verify', async () => {
      const [decoded] = await meanwhile(this.on.decode(bytes, pixels), () => this.judge.prepare());
      return this.judge.judge(decoded);
    });
    return { bytes, score: searchScore, candidate: { bytes, quality, score, dimensions } };
  }
}
