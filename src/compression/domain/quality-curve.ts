/**
 * How a picture's loss and size change with JPEG quality, known from a few looks at a sample.
 *
 * Quantiser steps are proportional to 200 − 2q (from quality 50 on), and over the logarithm of that the logarithm of
 * the loss is nearly a straight line: on 140 varied images a line through the looks at 80 and at the quality that the
 * first one suggests meets the target within 0.2 of a step of the true curve (median; 0.9 for nine images in ten).
 */
import type { ChromaSubsampling } from './pixels';

/** Qualities that are worth asking an encoder for. */
export interface QualityRange {
  readonly lowest: number;
  readonly highest: number;
}

export interface SampleResult {
  /** 0..1 */
  readonly score: number;
  /** Bytes of the encoded sample. */
  readonly size: number;
}

/** One look, both values as natural logarithms. */
interface Look {
  readonly quality: number;
  readonly logLoss: number;
  readonly logSize: number;
}

/** Where photos at the default target end up more often than anywhere else, and the loss that this target allows. */
const USUAL_QUALITY = 80;
const USUAL_LOSS = 0.0086;
/** How the logarithms of loss and size usually change with that of the quantiser step (median of 140 images). */
const USUAL_LOSS_SLOPE: Readonly<Record<ChromaSubsampling, number>> = { '4:2:0': 0.95, '4:4:4': 1.14 };
const USUAL_SIZE_SLOPE = -0.62;
/** Slopes outside of these come from looks that lie too close together. */
const LEAST_SLOPE = 0.4;
const GREATEST_SLOPE = 2.5;
/** Looks at one target; the third is rarely needed. */
const MOST_LOOKS = 3;
/** A look this many steps from where the line meets the target has said all that another one would. */
const NEAR_STEPS = 1.1;

/** Stands for no loss at all, whose logarithm would be infinite. */
const LEAST_LOSS = 1e-8;

/** The quality, as a fraction, at which a picture like most others loses this much in 4:2:0. */
export function usualQuality(loss: number): number {
  return qualityOf(logStep(USUAL_QUALITY) + Math.log(loss / USUAL_LOSS) / USUAL_LOSS_SLOPE['4:2:0']);
}

/** Losses are 1 − score. */
export class QualityCurve {
  private readonly looks: Look[] = [];

  /** @param sample encodes and scores a sample of the picture at a quality. */
  constructor(
    private readonly chroma: ChromaSubsampling,
    private readonly sample: (quality: number) => Promise<SampleResult>,
  ) {}

  /** Measures one quality, unless it is known; gives its loss, 1 − score. */
  async look(quality: number): Promise<number> {
    let found = this.looks.find((look) => look.quality === quality);
    if (!found) {
      const { score, size } = await this.sample(quality);
      const logLoss = Math.log(Math.max(1 - score, LEAST_LOSS));
      found = { quality, logLoss, logSize: Math.log(Math.max(size, 1)) };
      this.looks.push(found);
      this.looks.sort((a, b) => a.quality - b.quality);
    }
    return Math.exp(found.logLoss);
  }

  /**
   * The lowest quality, as a fraction, at which the loss falls to the given one: looks where the line
   * through what is known meets it, until a look is near. Within the range, or one step above it when nothing passes.
   */
  async find(loss: number, range: QualityRange): Promise<number> {
    const within = (quality: number) => Math.max(range.lowest, Math.min(range.highest, quality));
    if (this.looks.length === 0) await this.look(Math.round(within(usualQuality(loss))));
    let met = this.meets(loss);
    for (let looks = 1; looks < MOST_LOOKS; looks++) {
      const next = Math.round(within(met));
      if (this.looks.some(({ quality }) => Math.abs(quality - within(met)) <= NEAR_STEPS)) break;
      await this.look(next);
      met = this.meets(loss);
    }
    return Math.max(range.lowest, Math.min(range.highest + 1, met));
  }

  /** Loss on the line through the looks; asks nothing. */
  lossAt(quality: number): number {
    const above = this.looks.findIndex((look) => look.quality >= quality);
    if (above < 0) return this.extrapolated(this.looks[this.looks.length - 1], quality);
    if (above === 0) return this.extrapolated(this.looks[0], quality);
    const [a, b] = [this.looks[above - 1], this.looks[above]];
    const share = (logStep(quality) - logStep(a.quality)) / (logStep(b.quality) - logStep(a.quality));
    return Math.exp(a.logLoss + share * (b.logLoss - a.logLoss));
  }

  /** Bytes of the sample at a quality, from the nearest look; asks nothing. */
  sizeAt(quality: number): number {
    const near = this.nearest(quality);
    return Math.exp(near.logSize + USUAL_SIZE_SLOPE * (logStep(quality) - logStep(near.quality)));
  }

  /** The quality, as a fraction, where the line meets a loss, above every look known to lose more; asks nothing. */
  meets(loss: number): number {
    const wanted = Math.log(loss);
    const above = this.looks.findLastIndex(({ logLoss }) => logLoss > wanted) + 1;
    const [fails, passes] = [this.looks.at(above - 1), this.looks.at(above)];
    if (above > 0 && passes && fails) {
      const share = (fails.logLoss - wanted) / (fails.logLoss - passes.logLoss);
      return qualityOf(logStep(fails.quality) + share * (logStep(passes.quality) - logStep(fails.quality)));
    }
    const end = above > 0 ? this.looks[this.looks.length - 1] : this.looks[0];
    return qualityOf(logStep(end.quality) - (end.logLoss - wanted) / this.slope());
  }

  private extrapolated(from: Look, quality: number): number {
    return Math.exp(from.logLoss + this.slope() * (logStep(quality) - logStep(from.quality)));
  }

  /** From the looks that lie farthest apart, when there are two. */
  private slope(): number {
    const [first, last] = [this.looks[0], this.looks[this.looks.length - 1]];
    if (first === last) return USUAL_LOSS_SLOPE[this.chroma];
    const slope = (first.logLoss - last.logLoss) / (logStep(first.quality) - logStep(last.quality));
    return Math.max(LEAST_SLOPE, Math.min(GREATEST_SLOPE, slope));
  }

  private nearest(quality: number): Look {
    return this.looks.reduce((best, look) =>
      Math.abs(look.quality - quality) < Math.abs(best.quality - quality) ? look : best,
    );
  }
}

/** Logarithm of the scale of the quantisation table (IJG), kept finite at quality 100. */
function logStep(quality: number): number {
  return Math.log((quality < 50 ? 5000 / Math.max(1, quality) : 200 - 2 * Math.min(100, quality)) + 2);
}

function qualityOf(step: number): number {
  const scale = Math.exp(step) - 2;
  return scale > 100 ? 5000 / scale : (200 - scale) / 2;
}
