/** The search for the lowest quality of one coding at which an image looks the same: trials on a part, then whole files. */
import type { Pixels } from '../domain/pixels';
import { findPureGrounds, keepsPureGrounds } from '../domain/pure-ground';
import { needsSharpChroma } from '../domain/shared-chroma';
import { LOSS_AT_SSIMULACRA2_80 } from '../domain/score/ssim-score';
import { searchQuality } from '../domain/search/quality-search';
import {
  TrialCurve,
  type CurveModel,
  type QualityRange,
  type TrialResult,
  within,
} from '../domain/search/trial-curve';
import type { Judge, MosaicJudge } from '../domain/judge';
import { once } from '../domain/once';
import type { Result } from './choose';
import { effortInTime, isLate, meanwhile, type Context } from './context';
import type { ShownImage } from './opened-image';
import type { ImageFacts, LossyCoding, TrialPlan } from './result-format.port';

/** Maximum number of trials before the full encode; further ones are made only if those before were far off. */
const MAX_TRIALS = { straight: 2, bent: 4 };
/** Number of steps that a pure ground may cost; of JPEGs for a density of 3, every second step keeps it. */
const MAX_STEPS_FOR_GROUND = 8;

/** Bits per pixel: of an image with less, mosaics say little, and their smaller one was up to 1.6 times as large. */
const FLAT_BITS = 0.15;

/** A mosaic predicts the bytes of a file within this factor: of 39 WebPs made of WebPs, from 0.87 to 1.12. */
const SIZE_ERROR = 1.12;

/** A coding that fails at this many times the predicted bytes of the next one probably lacks chroma, not quality: the next is searched first. */
const MORE_THAN_NEXT = 1.3;

/** Within a byte limit, the next attempt corrects the quality. */
const ONE_ENCODE = { toleratedRoom: 1, encodesForBytes: 1 };

interface Input {
  readonly image: Pick<ShownImage, 'pixels' | 'isPhoto' | 'density' | 'metadata' | 'judge'>;
  readonly mosaic: () => MosaicJudge;
  readonly context: Omit<Context, 'engine'>;
  readonly lossWeight?: number | undefined;
  decode(file: Uint8Array, original: Pixels): Promise<Pixels>;
  /** Reads the files of trials faster; `decode` if absent. */
  decodeTrial?(file: Uint8Array, original: Pixels): Promise<Pixels>;
}

/** A whole file of the search. */
export interface Encoded {
  readonly step: number;
  readonly bytes: Uint8Array;
  /** The score that steers the search: see Judge. */
  readonly score: number;
  /** Whether pure white and pure black grounds stay pure. */
  readonly hasPureGround: boolean;
  /** What a report says of it. */
  readonly facts: Required<Pick<Result, 'bytes' | 'quality' | 'score'>>;
}

export class LossyAttempt {
  readonly curve: TrialCurve;
  readonly range: QualityRange;
  private readonly judge: Judge;
  /** The facts so far: the first trial adds its bits. */
  private facts: ImageFacts;
  private readonly model: CurveModel;
  private readonly maxTrials: number;
  /** Of the last whole file, with its score. */
  private encodeMs = 0;
  private readonly files = new Map<number, Promise<Encoded>>();
  private readonly grounds = once(() => findPureGrounds(this.on.image.pixels));

  constructor(
    private readonly coding: LossyCoding,
    private readonly on: Input,
  ) {
    const { pixels, isPhoto, density, judge } = on.image;
    const { effort, targetScore } = on.context.policy;
    this.judge = judge();
    const pixelCount = pixels.width * pixels.height;
    const sharp = once(() => needsSharpChroma(pixels));
    this.facts = { effort, pixelCount, isPhoto, density, targetScore, needsSharpChroma: sharp };
    this.range = coding.range(density);
    this.model = coding.curve(this.facts);
    this.curve = new TrialCurve(coding.chroma, (step) => this.trial(step), this.model);
    this.maxTrials = MAX_TRIALS[this.curve.shape];
  }

  private get plan(): TrialPlan {
    return this.coding.trials(this.facts);
  }

  /** Makes the first trials: one of a mosaic, or up to two of the whole image, which show its size. */
  async start(): Promise<this> {
    const { model, plan } = this;
    const fallen = Math.log(this.judge.allowedLoss / LOSS_AT_SSIMULACRA2_80) / model.lossSlope;
    const start = model.qualityAt(model.position(plan.firstStep) + fallen);
    await this.curve.find(this.trialLoss, this.range, start, plan.of === 'mosaic' ? 1 : this.maxTrials);
    return this;
  }

  get bytes(): number {
    const { width, height } = this.trialPixels;
    const trialBytes = this.curve.sizeFor(this.trialLoss, this.range);
    return trialBytes * (this.facts.pixelCount / (width * height)) * this.plan.sizeRatio;
  }

  /**
   * Returns the file of the lowest quality that passes; without any, the one with the highest score.
   * @param mostBytes the search ends where larger files would follow, which are of no use
   * @param enoughBytes no higher quality is tried after a file that is larger
   * @returns undefined if no file of that size is expected to pass
   */
  async search(mostBytes = Infinity, enoughBytes = Infinity): Promise<Encoded | undefined> {
    const { coding, judge, curve, plan, range, on } = this;
    await curve.find(this.trialLoss, range, curve.qualityFor(this.trialLoss), this.maxTrials);
    if (this.bytes > mostBytes * SIZE_ERROR) return undefined;
    const effort = effortInTime(on.context, (effort) => coding.encodeMs?.({ ...this.facts, effort }) ?? 0);
    this.facts = { ...this.facts, effort };
    const { facts } = this;
    // TypeScript does not see that the callback changes it, and would narrow it to false.
    let isTooLarge = false as boolean;
    const { passing, tried } = await searchQuality<Encoded>(curve, {
      range,
      allowedLoss: judge.allowedLoss,
      effort: facts.effort,
      relativeError: plan.of === 'mosaic' ? on.mosaic().relativeError : 0,
      expectedRatio: this.plan.lossRatio,
      patience: on.context.isFitted ? ONE_ENCODE : coding.patience(facts),
      isLate: () => isLate(on.context, this.encodeMs),
      isUseful: (step, last) => {
        if (step > last.step && last.bytes.length > enoughBytes) return false;
        // After one that fails, the next quality is often too high; between them one may still pass.
        const ratio = Math.min(1, curve.sizeAt(step) / curve.sizeAt(last.step));
        isTooLarge = last.bytes.length * ratio > mostBytes;
        return !isTooLarge;
      },
      encode: (step) => this.encode(step),
    });
    if (!passing && isTooLarge) return undefined;
    const found = passing ?? tried.reduce((best, result) => (result.score > best.score ? result : best));
    const isLeft = !passing && found.bytes.length > enoughBytes;
    return found.hasPureGround || isLeft ? found : this.withPureGround(found);
  }

  /** Returns the next larger file whose ground stays pure; the same one if there is none. */
  private async withPureGround(found: Encoded) {
    const last = within(this.range, found.step + MAX_STEPS_FOR_GROUND);
    for (let step = found.step + 1; step <= last && !isLate(this.on.context, this.encodeMs); step++) {
      const next = await this.encode(step);
      if (next.hasPureGround && this.passes(next) === this.passes(found)) return next;
    }
    return found;
  }

  /** Whether another coding may take less although the mosaic of this one is smaller. */
  isUncertain({ bytes }: Encoded): boolean {
    const isFlat = bytes.length * 8 < this.facts.pixelCount * FLAT_BITS;
    return isFlat && !isLate(this.on.context, this.encodeMs);
  }

  passes({ score }: Pick<Encoded, 'score'>): boolean {
    return 1 - score <= this.judge.allowedLoss;
  }

  private get trialLoss(): number {
    return this.judge.allowedLoss / this.plan.lossRatio;
  }

  private get trialPixels(): Pixels {
    return this.plan.of === 'mosaic' ? this.on.mosaic().pixels : this.on.image.pixels;
  }

  private async trial(step: number): Promise<TrialResult> {
    if (this.plan.of === 'file') {
      const { score, bytes } = await this.encode(step);
      return { loss: 1 - score, size: bytes.length };
    }
    const { coding, trialPixels: pixels, facts: image } = this;
    const quality = coding.stepQuality?.(step) ?? step;
    return this.on.context.stopwatch.time('search', async () => {
      const encoded = await coding.encode(pixels, { quality, purpose: 'trial', image, metadata: {} });
      const loss = await this.measureTrialLoss(encoded, pixels);
      const bitsPerPixel = (8 * encoded.length) / (pixels.width * pixels.height);
      this.facts = { trialBits: bitsPerPixel, ...this.facts };
      const lossSlope = coding.lossSlope?.(bitsPerPixel, step, image);
      return { loss, size: encoded.length, lossSlope };
    });
  }

  private async measureTrialLoss(encoded: Uint8Array, pixels: Pixels) {
    const { on, judge } = this;
    const decoding = on.decodeTrial?.(encoded, pixels) ?? on.decode(encoded, pixels);
    const isWhole = this.plan.of === 'whole';
    const [decoded] = await meanwhile(decoding, () => (isWhole ? judge.prepare() : on.mosaic().prepare()));
    const { lossWeight = 1 } = on;
    if (isWhole) return 1 - judge.judge(decoded, lossWeight).searchScore;
    return lossWeight * on.mosaic().measureLoss(decoded);
  }

  /** Returns the file of a step, made once, decoded and scored; expensive. */
  encode(step: number): Promise<Encoded> {
    const known = this.files.get(step) ?? this.encodeWhole(step);
    this.files.set(step, known);
    return known;
  }

  private async encodeWhole(step: number) {
    const { coding, facts: image, on } = this;
    const { pixels, metadata } = on.image;
    const quality = coding.stepQuality?.(step) ?? step;
    const options = { quality, purpose: 'delivery', image, metadata } as const;
    const start = performance.now();
    const bytes = await on.context.stopwatch.time('encode', () => coding.encode(pixels, options));
    const file = await this.judged(bytes, { quality, step });
    this.encodeMs = performance.now() - start;
    return file;
  }

  /** @param file its weight of loss is that of the format if absent */
  async judged(
    bytes: Uint8Array,
    {
      quality = 100,
      step = quality,
      lossWeight = this.on.lossWeight,
    }: { quality?: number; step?: number; lossWeight?: number },
  ): Promise<Encoded> {
    const { judge, on } = this;
    return on.context.stopwatch.time('verify', async () => {
      const [decoded] = await meanwhile(on.decode(bytes, on.image.pixels), () => judge.prepare());
      const { score, searchScore } = judge.judge(decoded, lossWeight);
      const hasPureGround = keepsPureGrounds(this.grounds(), decoded);
      return { step, bytes, score: searchScore, hasPureGround, facts: { bytes, quality, score } };
    });
  }
}

/**
 * Searches codings in turn until a file passes; without any, returns the one with the highest score. Of a nearly flat image, it
 * searches all.
 */
export async function searchInTurn(
  attempts: readonly LossyAttempt[],
  mostBytes = Infinity,
): Promise<Encoded | undefined> {
  const [attempt, ...others] = attempts;
  const [next] = others.map(({ bytes }) => bytes);
  const file = await attempt.search(mostBytes, next && next * MORE_THAN_NEXT);
  if (!file || !next || (attempt.passes(file) && !attempt.isUncertain(file))) return file;
  const other = await searchInTurn(others, mostBytes);
  const isPassing = other !== undefined && attempt.passes(other);
  // Higher qualities of the first may still take less than the other, or pass where it does not.
  const most = isPassing ? other.bytes.length : mostBytes;
  const isDone = attempt.passes(file) || file.bytes.length >= most;
  const first = isDone ? file : ((await attempt.search(most)) ?? file);
  if (!other || (attempt.passes(first) && !(isPassing && other.bytes.length < first.bytes.length)))
    return first;
  return isPassing || other.score > first.score ? other : first;
}
