/**
 * Predicts loss and size of a mosaic at a quality, from a few trial encodes. On logarithmic scales both are
 * close to straight lines over a function of the quality, which differs by encoder: its `position`.
 */
import type { ChromaSubsampling } from '../pixels';

/** Integers; both ends are included. */
export interface QualityRange {
  readonly lowest: number;
  readonly highest: number;
}

/** How loss and size of an encoder depend on its quality. */
export interface CurveModel {
  /** The scale on which the logarithms of loss and size are straight lines; falls as the quality rises. */
  readonly position: (quality: number) => number;
  /** The inverse of `position`, with decimals. */
  readonly qualityAt: (position: number) => number;
  /** Typical slopes over the position, used until two trials are known. */
  readonly lossSlope: number;
  readonly sizeSlope: number;
  /** How much higher the position of the usual quality lies at a density, divided by the logarithm of the density. */
  readonly riseByDensity: number;
  /** Whether losses change in jumps, because quantization steps are small integers. */
  readonly hasJumps: boolean;
  /** A trial at most this many qualities away confirms one; 0 if absent. */
  readonly confirmedWithin?: number;
  /** How many times as far a trial predicts at a quality than where steps are fine; 1 if absent. */
  readonly reach?: (quality: number) => number;
  /** Whether slopes change along the curve, so that they are taken from the nearest trials. */
  readonly isBent?: boolean;
}

/** Returns the curve of an encoder at a density: over the wide range of low qualities, no line fits. */
export function curveAt(density: number, model: CurveModel): CurveModel {
  return density === 1 ? model : { ...model, isBent: true };
}

/** Slopes outside these ranges come from trials that are too close together. */
const SLOPES = { straight: [0.4, 1.6], bent: [0.25, 3] } as const;
/**
 * The square of the distance of positions at which half of a slope is believed: losses jump by 3%, slopes differ by
 * 0.4.
 */
const JUMP_SQUARED = (0.03 / 0.4) ** 2;
const MAX_TRIALS = { straight: 3, bent: 5 };
/** Further trials to confirm the mosaic at the quality of the full encode. */
const MAX_CHECKS = 2;
/** A trial this close to the predicted quality makes a further one unnecessary. */
const NEAR = 3;
/** Used instead of a loss of 0, whose logarithm is infinite. */
export const MIN_LOSS = 1e-8;

/** Returns the first quality to try at a density, from the one at density 1. */
export function shiftForDensity(model: CurveModel, quality: number, density: number): number {
  if (density === 1) return quality;
  return model.qualityAt(model.position(quality) + model.riseByDensity * Math.log(density));
}

/** The loss, above 0, of the whole image at a quality. */
export interface WholePoint {
  readonly quality: number;
  readonly loss: number;
}

export interface TrialResult {
  /** 1 − score of the mosaic. */
  readonly loss: number;
  /** Of the encoded mosaic, in bytes. */
  readonly size: number;
  /** Slope of the loss, if the trial predicts it; overrides the model and the slope between trials. */
  readonly lossSlope?: number | undefined;
}

type Trial = TrialResult & { readonly quality: number };

/** Loss and size of one mosaic by quality, in one chroma mode, learned from trials. */
export class TrialCurve {
  readonly isBent = this.model.isBent ?? false;
  readonly shape = this.isBent ? 'bent' : 'straight';
  private readonly maxTrials = MAX_TRIALS[this.shape];
  private readonly trials: Trial[] = [];

  constructor(
    readonly chroma: ChromaSubsampling,
    private readonly encode: (quality: number) => Promise<TrialResult>,
    private readonly model: CurveModel,
  ) {}

  /** Runs trials until one is near the quality with the given loss, and returns that quality. */
  async find(loss: number, range: QualityRange, start: number, maxTrials = this.maxTrials): Promise<number> {
    let next = within(range, start);
    while (this.trials.length < maxTrials && !(this.distanceTo(next) <= NEAR)) {
      await this.tryAt(Math.round(next));
      next = within(range, this.qualityFor(loss));
    }
    return next;
  }

  private async tryAt(quality: number) {
    const { loss, size, lossSlope } = await this.encode(quality);
    this.trials.push({ quality, loss: Math.max(loss, MIN_LOSS), size: Math.max(size, 1), lossSlope });
  }

  /** If losses change in jumps, trials confirm the quality while some are left. */
  async confirm(loss: number, range: QualityRange): Promise<number> {
    for (let checks = 0; ; checks++) {
      const quality = Math.ceil(within(range, this.qualityFor(loss)));
      const isKnown = this.distanceTo(quality) <= (this.model.confirmedWithin ?? 0);
      if (!this.model.hasJumps || isKnown || checks === MAX_CHECKS) return quality;
      await this.tryAt(quality);
    }
  }

  /** Returns the lowest quality of the range that reaches a loss on the line between two full encodes. */
  between(a: WholePoint, b: WholePoint, loss: number, range: QualityRange): number {
    const { position, qualityAt } = this.model;
    const share = Math.log(loss / a.loss) / Math.log(b.loss / a.loss);
    const at = position(a.quality) + share * (position(b.quality) - position(a.quality));
    return Math.ceil(within(range, qualityAt(at)));
  }

  /** Returns the quality, with decimals, at which the line through the trials has the given loss. */
  qualityFor(loss: number): number {
    const distance = (trial: Trial) => Math.abs(Math.log(trial.loss / loss));
    const near = this.nearest(distance);
    const { position, qualityAt } = this.model;
    return qualityAt(position(near.quality) + Math.log(loss / near.loss) / this.slope('loss', distance));
  }

  /** Predicts 1 − score of the mosaic. */
  lossAt(quality: number): number {
    return this.valueAt(quality, 'loss');
  }

  /** Predicts the bytes of the mosaic. */
  sizeAt(quality: number): number {
    return this.valueAt(quality, 'size');
  }

  /** Predicts the bytes of the mosaic at the quality of the range that has the given loss. */
  sizeFor(loss: number, range: QualityRange): number {
    return this.sizeAt(within(range, this.qualityFor(loss)));
  }

  private valueAt(quality: number, of: 'loss' | 'size') {
    const distance = (trial: Trial) => Math.abs(trial.quality - quality);
    const near = this.nearest(distance);
    const { position } = this.model;
    return near[of] * Math.exp(this.slope(of, distance) * (position(quality) - position(near.quality)));
  }

  /** Of a bent curve, between the two nearest trials; else between the two that are farthest apart. */
  private slope(of: 'loss' | 'size', distance: (trial: Trial) => number) {
    const { isBent, trials } = this;
    const { position, lossSlope, sizeSlope } = this.model;
    const predicted = of === 'loss' && !isBent ? trials[0].lossSlope : undefined;
    if (predicted !== undefined) return predicted;
    const near = isBent ? [...trials].sort((a, b) => distance(a) - distance(b)).slice(0, 2) : trials;
    const sorted = [...near].sort((a, b) => a.quality - b.quality);
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    const typical = of === 'loss' ? lossSlope : sizeSlope;
    const steps = position(first.quality) - position(last.quality);
    if (steps === 0) return typical;
    const slope = Math.log(first[of] / last[of]) / steps;
    if (of === 'size') return slope;
    const [least, greatest] = SLOPES[this.shape];
    return Math.max(least, Math.min(greatest, this.damped(slope, steps)));
  }

  /**
   * The nearer two trials are, the more of their difference is a jump. Too flat a slope leads far beyond the quality
   * looked for, too steep a one only to its neighbours.
   */
  private damped(slope: number, steps: number) {
    const { hasJumps, isBent, lossSlope } = this.model;
    if (!hasJumps || !isBent || slope > lossSlope) return slope;
    const trust = steps ** 2 / (steps ** 2 + JUMP_SQUARED);
    return trust * slope + (1 - trust) * lossSlope;
  }

  private nearest(distance: (trial: Trial) => number) {
    return this.trials.reduce((best, trial) => (distance(trial) < distance(best) ? trial : best));
  }

  private distanceTo(quality: number) {
    const steps = Math.min(...this.trials.map((trial) => Math.abs(trial.quality - quality)));
    return steps / (this.model.reach?.(quality) ?? 1);
  }
}

export function within({ lowest, highest }: QualityRange, quality: number): number {
  return Math.max(lowest, Math.min(highest, quality));
}
