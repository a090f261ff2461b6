/** Writes an image in a format that is not that of the upload: the lowest quality that passes, decoded and scored as a whole. */
import type { TargetFormat } from '../../../contract/formats';
import { factsOf } from '../../../contract/formats';
import type { RemovedCompanion } from '../../../contract/report-words';
import { lostTransparency } from '../../../contract/image-problems';
import { asRgba, maxDifference, type Pixels } from '../../domain/pixels';
import { mosaicOf, type Mosaic } from '../../domain/search/mosaic';
import { highestThatFits } from '../../domain/budget/fit-search';
import { MosaicReference } from '../../domain/search/mosaic-score';
import { LOSS_AT_SSIMULACRA2_80 } from '../../domain/score/ssim-score';
import { searchQuality } from '../../domain/search/quality-search';
import { TrialCurve, type TrialResult } from '../../domain/search/trial-curve';
import { blocksOf, type BlockName } from '../../formats/embedded-blocks';
import type { Candidate } from '../outcome';
import { once, type Work } from '../work';
import type { Convertible } from './convertible';
import { overWhite, type Judge } from './judge';
import type { LossyCoding, Target } from './target';

/** Trials until the full encode; a second one is made only if the first was far off. */
const MAX_TRIALS = 2;

/** A lossy coding with what its trials have shown. */
interface Attempt {
  readonly coding: LossyCoding;
  readonly judge: Judge;
  readonly curve: TrialCurve;
  /** The mosaic that trials are compared with. */
  readonly reference: () => MosaicReference;
  /** Loss of the whole image ÷ loss of a trial, usually. */
  readonly usualRatio: number;
  relativeError: number;
  /** Predicted bytes of the file. */
  bytes: number;
}

export class Conversion {
  /** The lossy coding that seems smallest; undefined if the image is written without loss. */
  private readonly attempt = once(() => this.bestAttempt());
  private readonly mosaic = once((): Mosaic => mosaicOf(this.image.pixels));

  constructor(
    readonly format: TargetFormat,
    private readonly target: Target,
    private readonly image: Convertible,
    private readonly work: Work,
  ) {}

  /** Returns why the format cannot hold the image, as part of a sentence; undefined if it can. */
  get obstacle(): string | undefined {
    const { label } = factsOf(this.format);
    const { width, height, channels } = this.image.pixels;
    const { maxSidePx, hasAlpha } = this.target;
    if (Math.max(width, height) > maxSidePx) return `${label} holds at most ${maxSidePx} px a side`;
    if (!hasAlpha && channels % 2 === 0) return lostTransparency(label);
    return undefined;
  }

  /** A format that is smaller for every image like this one. */
  get outdoneBy(): TargetFormat | undefined {
    return this.image.isPhoto ? this.target.smallerForPhotos : undefined;
  }

  /** Whether the format drops a profile without which the colours look different. */
  get losesColours(): boolean {
    return this.dropped.includes('icc');
  }

  /** The blocks of the image that the format cannot hold. */
  private get dropped(): BlockName[] {
    return blocksOf(this.image.metadata).filter((block) => !this.target.holds?.includes(block));
  }

  /** Returns the expected size of the file in bytes, within some 5 %; exact for files without loss. */
  async predict(): Promise<number> {
    return (await this.attempt())?.bytes ?? (await this.lossless()).bytes.length;
  }

  /** Returns the file. It looks like the upload unless no quality of the format does; then it is the best there is. */
  async run(): Promise<Candidate> {
    const attempt = await this.attempt();
    const candidate = attempt ? await this.searchLossy(attempt) : await this.lossless();
    return this.described(candidate);
  }

  /** Adds what the report says of every file of this format. */
  private described(candidate: Candidate): Candidate {
    const { dropped } = this;
    const removed: RemovedCompanion[] = [
      ...this.image.removed,
      ...(dropped.includes('icc') ? (['colour-profile'] as const) : []),
      ...(dropped.some((block) => block !== 'icc') ? (['kept-metadata'] as const) : []),
    ];
    return { ...candidate, format: this.format, ...(removed.length > 0 ? { removed } : {}) };
  }

  /** Whether a file that `run` has returned looks like the upload. */
  async passes({ score }: Candidate): Promise<boolean> {
    const attempt = await this.attempt();
    return attempt === undefined || 1 - score <= attempt.judge.allowedLoss;
  }

  private readonly lossless = once(async (): Promise<Candidate> => {
    const { image, target, work } = this;
    const reduced = await image.reduced?.();
    const exact = { pixels: image.pixels, score: 1, maxError: 0 };
    // A palette is always smaller than the pixels that it replaces; slightly changed channels may not be.
    const sources = reduced ? (reduced.maxError === undefined ? [reduced] : [reduced, exact]) : [exact];
    const candidates: Candidate[] = [];
    for (const { pixels, ...facts } of sources) {
      const bytes = await work.stopwatch.time('encode', () => this.encodeExactly(pixels));
      await work.stopwatch.time('verify', async () => {
        const decoded = await target.decode(bytes, pixels);
        if (maxDifference(asRgba(pixels), asRgba(decoded)) > 0)
          throw new Error(`${this.format}: a file without loss has other pixels`);
      });
      candidates.push({ bytes, ...facts, dimensions: image.dimensions });
    }
    return candidates.reduce((best, other) => (other.bytes.length < best.bytes.length ? other : best));
  });

  private encodeExactly(pixels: Pixels): Promise<Uint8Array> {
    const { encodeLosslessly } = this.target;
    if (!encodeLosslessly) throw new Error(`${this.format} has no coding`);
    return encodeLosslessly(pixels, { effort: this.work.policy.effort, metadata: this.image.metadata });
  }

  /** Photos get the lossy coding; graphics only if there is no other. */
  private async bestAttempt(): Promise<Attempt | undefined> {
    const { lossy, encodeLosslessly } = this.target;
    if (lossy.length === 0 || (encodeLosslessly && !this.image.isPhoto)) return undefined;
    let best: Attempt | undefined;
    for (const coding of this.image.pixels.channels < 3 ? lossy.slice(-1) : lossy) {
      const attempt = await this.tried(coding);
      if (!best || attempt.bytes < best.bytes) best = attempt;
    }
    return best;
  }

  /** Makes one trial of a coding. */
  private async tried(coding: LossyCoding): Promise<Attempt> {
    const { pixels, isPhoto } = this.image;
    const { curve: model, range, usualQuality, sizeFactor } = coding;
    const judge = this.image.judge(isPhoto ? coding.lossFactor.photo : coding.lossFactor.graphic);
    const usualRatio = coding.usualRatio(this.work.policy.effort, pixels.width * pixels.height);
    const attempt: Attempt = {
      coding,
      judge,
      usualRatio,
      curve: new TrialCurve(coding.chroma, (quality) => this.trial(attempt, quality), model),
      reference: once(() => {
        const mosaic = this.mosaic();
        return new MosaicReference({ ...mosaic, pixels: overWhite(mosaic.pixels) }, coding.seamPx);
      }),
      relativeError: 0,
      bytes: 0,
    };
    const loss = judge.allowedLoss / usualRatio;
    const start = model.qualityAt(
      model.position(usualQuality) + Math.log(judge.allowedLoss / LOSS_AT_SSIMULACRA2_80) / model.lossSlope,
    );
    await attempt.curve.find(loss, range, start, 1);
    attempt.bytes = attempt.curve.sizeFor(loss, range) * this.areaRatio() * sizeFactor;
    return attempt;
  }

  private async trial(attempt: Attempt, quality: number): Promise<TrialResult> {
    const { image, target, work } = this;
    const mosaic = this.mosaic();
    return work.stopwatch.time('search', async () => {
      const encoded = await attempt.coding.encode(mosaic.pixels, {
        quality,
        purpose: 'trial',
        effort: work.policy.effort,
        imagePixels: image.pixels.width * image.pixels.height,
        metadata: {},
      });
      const decoded = await target.decode(encoded, mosaic.pixels);
      const { score, relativeError } = attempt.reference().score(overWhite(decoded));
      attempt.relativeError = Math.max(attempt.relativeError, relativeError);
      return { loss: 1 - score, size: encoded.length };
    });
  }

  private async searchLossy(attempt: Attempt): Promise<Candidate> {
    const { coding, judge, curve, usualRatio } = attempt;
    const { policy } = this.work;
    const { pixels } = this.image;
    const imagePixels = pixels.width * pixels.height;
    const { range } = coding;
    const loss = judge.allowedLoss / usualRatio;
    await curve.find(loss, range, curve.qualityFor(loss), MAX_TRIALS);
    const { passing, tried } = await searchQuality(curve, {
      range,
      allowedLoss: judge.allowedLoss,
      effort: policy.effort,
      pixels: imagePixels,
      relativeError: attempt.relativeError,
      usualRatio,
      patience: coding.patience(policy.effort, imagePixels),
      encode: (quality) => this.encoded(attempt, quality),
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
    const attempt = await this.attempt();
    if (!attempt) {
      const candidate = this.described(await this.lossless());
      const { length } = candidate.bytes;
      return { ...(length <= maxBytes ? { fitting: candidate } : {}), minBytes: length };
    }
    const { curve, judge, coding, usualRatio } = attempt;
    const lowest = Math.floor(curve.qualityFor(judge.allowedLoss / usualRatio));
    const range = {
      ...coding.range,
      lowest: Math.max(coding.range.lowest, Math.min(coding.range.highest, lowest)),
    };
    const { fitting, minBytes } = await highestThatFits({
      range,
      maxBytes,
      predict: (quality) => curve.sizeAt(quality) * this.areaRatio() * coding.sizeFactor,
      encode: async (quality) => this.described(await this.encoded(attempt, quality)),
      passes: ({ score }) => 1 - score <= judge.allowedLoss,
      maxEncodes,
    });
    return { ...(fitting ? { fitting } : {}), minBytes: Math.min(minBytes, attempt.bytes) };
  }

  private areaRatio(): number {
    const { pixels } = this.image;
    const mosaic = this.mosaic().pixels;
    return (pixels.width * pixels.height) / (mosaic.width * mosaic.height);
  }

  /** Encodes and scores the whole image; expensive. */
  private async encoded({ coding, judge }: Attempt, quality: number) {
    const { image, target, work } = this;
    const { pixels, metadata, dimensions } = image;
    const bytes = await work.stopwatch.time('encode', () =>
      coding.encode(pixels, {
        quality,
        purpose: 'delivery',
        effort: work.policy.effort,
        imagePixels: pixels.width * pixels.height,
        metadata,
      }),
    );
    const score = await work.stopwatch.time('verify', async () =>
      judge.score(await target.decode(bytes, pixels)),
    );
    return { bytes, quality, score, dimensions };
  }
}
