/**
 * How loss and size of a mosaic change with JPEG quality, learned from a few trial encodes.
 *
 * Over the logarithm of the quantization step, the logarithm of the loss is close to a straight line (slope 0.85 in
 * 4:2:0, 0.92 in 4:4:4; standard deviation 0.12 and 0.16 between 125 images).
 */
import type { ChromaSubsampling } from '../pixels';

export interface QualityRange {
  readonly lowest: number;
  readonly highest: number;
}

/** Below 20 blocking is visible at any score; above 97 bytes grow fast and nobody sees the difference. */
export const SEARCH_RANGE: QualityRange = { lowest: 20, highest: 97 };
/** Where images that are not known better end more often than anywhere else at the default target, and its loss. */
const USUAL = { quality: 80, loss: 0.0086 };
/** Uploads that are JPEGs end this many steps below their own quality (median of 375, saved at 75 to 92). */
const BELOW_UPLOAD = 13;
/** Trials that come from a tenth more loss than allowed find the lower end of a stair. */
const START_BELOW = 0.9;
/** How loss and size change with the quantization step, as slopes between logarithms, before two trials have told. */
const USUAL_LOSS_SLOPE: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 0.85, '4:4:4': 0.92 };
const USUAL_SIZE_SLOPE = -0.58;
/** Slopes outside of these come from trials that lie too close together. */
const MIN_SLOPE = 0.4;
const GREATEST_SLOPE = 1.6;
const MAX_TRIALS = 3;
/** Trials that may follow, to know the mosaic at just the quality that the whole image is to be encoded at. */
const MAX_CHECKS = 2;
/** A trial this many qualities from where the line meets the loss says all that a further one would. */
const NEAR = 3;
/** Stands for no loss at all, whose logarithm would be infinite. */
export const MIN_LOSS = 1e-8;

/** Logarithm of the quantization step, up to a constant: both jpegli and MozJPEG scale it by 101 − quality. */
function logStep(quality: number): number {
  return Math.log(101 - quality);
}

/** What is known of an upload before the search. */
export interface UploadCoding {
  readonly chroma: ChromaSubsampling;
  /** How coarsely it was quantized, on the encoder's own scale of quality. */
  readonly quality: number;
  /** 1 − score of coding it once more at that quality, across its blocks; absent when that was not measured. */
  readonly reencodingLoss?: number;
}

/**
 * Where to begin the trials: a quality, with decimals, that is right within 3 steps as a rule when the loss of coding the
 * upload once more is known, and within 6 when it is not.
 * @param upload undefined when it tells nothing
 */
export function likelyQuality(loss: number, upload?: UploadCoding): number {
  if (!upload) return qualityAlong('4:2:0', USUAL, loss);
  const { chroma, quality, reencodingLoss } = upload;
  return reencodingLoss
    ? qualityAlong(chroma, { quality, loss: START_BELOW * reencodingLoss }, loss)
    : qualityAlong('4:2:0', { quality: quality - BELOW_UPLOAD, loss: USUAL.loss }, loss);
}

/** Where a line of the usual slope through a point has the given loss. */
function qualityAlong(
  chroma: ChromaSubsampling,
  point: { readonly quality: number; readonly loss: number },
  loss: number,
): number {
  return 101 - Math.exp(logStep(point.quality) + Math.log(loss / point.loss) / USUAL_LOSS_SLOPE[chroma]);
}

export interface TrialResult {
  /** 1 − score of the mosaic. */
  readonly loss: number;
  /** Bytes of the encoded mosaic. */
  readonly size: number;
}

interface Trial extends TrialResult {
  readonly quality: number;
}

/** How loss and size of a mosaic change with quality in one chroma mode, learned from a few trial encodes. */
export class TrialCurve {
  private readonly trials: Trial[] = [];

  constructor(
    readonly chroma: ChromaSubsampling,
    private readonly encode: (quality: number) => Promise<TrialResult>,
  ) {}

  /**
   * Runs trial encodes until one lies near the quality where the loss is the given one, and returns that quality.
   * @param start where to begin
   * @param maxTrials on this curve, those before included
   */
  async find(loss: number, range: QualityRange, start: number, maxTrials = MAX_TRIALS): Promise<number> {
    let next = within(range, start);
    while (this.trials.length < maxTrials && !(this.distanceTo(next) <= NEAR)) {
      await this.tryAt(Math.round(next));
      next = within(range, this.qualityFor(loss));
    }
    return next;
  }

  private async tryAt(quality: number): Promise<void> {
    const { loss, size } = await this.encode(quality);
    this.trials.push({ quality, loss: Math.max(loss, MIN_LOSS), size: Math.max(size, 1) });
  }

  /**
   * The lowest quality of a range at which the loss falls to the given one, confirmed by a trial encode at that quality
   * as long as there are some left: tables of small integers move in stairs beside the line.
   */
  async confirm(loss: number, range: QualityRange): Promise<number> {
    for (let checks = 0; ; checks++) {
      const quality = Math.ceil(within(range, this.qualityFor(loss)));
      if (this.distanceTo(quality) === 0 || checks === MAX_CHECKS) return quality;
      await this.tryAt(quality);
    }
  }

  /** The quality, with decimals, at which the line through the trials has the given loss. */
  qualityFor(loss: number): number {
    const near = this.nearest((trial) => Math.abs(Math.log(trial.loss / loss)));
    return 101 - Math.exp(logStep(near.quality) + Math.log(loss / near.loss) / this.slope('loss'));
  }

  lossAt(quality: number): number {
    return this.valueAt(quality, 'loss');
  }

  /** Bytes of the mosaic at a quality. */
  sizeAt(quality: number): number {
    return this.valueAt(quality, 'size');
  }

  /** Bytes of the mosaic at the quality of a range where the loss is the given one. */
  sizeFor(loss: number, range: QualityRange): number {
    return this.sizeAt(within(range, this.qualityFor(loss)));
  }

  private valueAt(quality: number, of: 'loss' | 'size'): number {
    const near = this.nearest((trial) => Math.abs(trial.quality - quality));
    return near[of] * Math.exp(this.slope(of) * (logStep(quality) - logStep(near.quality)));
  }

  /** Through the two trials that lie farthest apart. */
  private slope(of: 'loss' | 'size'): number {
    const sorted = [...this.trials].sort((a, b) => a.quality - b.quality);
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    const usual = of === 'loss' ? USUAL_LOSS_SLOPE[this.chroma] : USUAL_SIZE_SLOPE;
    const steps = logStep(first.quality) - logStep(last.quality);
    if (steps === 0) return usual;
    const slope = Math.log(first[of] / last[of]) / steps;
    return of === 'loss' ? Math.max(MIN_SLOPE, Math.min(GREATEST_SLOPE, slope)) : slope;
  }

  private nearest(distance: (trial: Trial) => number): Trial {
    return this.trials.reduce((best, trial) => (distance(trial) < distance(best) ? trial : best));
  }

  private distanceTo(quality: number): number {
    return Math.min(...this.trials.map((trial) => Math.abs(trial.quality - quality)));
  }
}

function within({ lowest, highest }: QualityRange, quality: number): number {
  return Math.max(lowest, Math.min(highest, quality));
}
