/**
 * Predicts how long images take, from their cost and from recent images. Costs are milliseconds of the machine on which they
 * were measured; what is learnt here is how much slower or faster this machine is, for each target format.
 */
import type { TargetName } from '../../domain/compression-cost';

/** Weight of the newest image. */
const NEWEST = 0.1;
/**
 * An image counts as at most this many times slower or faster than predicted, so that one sample changes the prediction by 7%
 * at most, however wrong it was.
 */
const MAX_SURPRISE = 2;
/** Images after which a prediction is taken for reliable. */
const MIN_SAMPLES = 3;
/** An easy image takes as little as this share of the prediction. */
const EASY_SHARE = 0.25;

interface Pace {
  /** Milliseconds per unit of cost. */
  readonly factor: number;
  readonly samples: number;
}

const UNKNOWN: Pace = { factor: 1, samples: 0 };

export class ServiceTimes {
  private readonly paces = new Map<TargetName, Pace>();

  /** Adds an image that was finished after `ms`. */
  record(target: TargetName, cost: number, ms: number): void {
    const { factor, samples } = this.paceOf(target);
    const surprise = Math.log(ms / (cost * factor));
    const most = Math.log(MAX_SURPRISE);
    const counted = Math.max(-most, Math.min(most, surprise));
    this.paces.set(target, { factor: factor * Math.exp(NEWEST * counted), samples: samples + 1 });
  }

  /** Adds an image that was not finished after `ms`: it would have taken longer. Tells nothing if that was expected. */
  recordUnfinished(target: TargetName, cost: number, ms: number): void {
    if (ms > this.expected(target, cost)) this.record(target, cost, ms);
  }

  /** Returns the predicted time of an image in milliseconds. */
  expected(target: TargetName, cost: number): number {
    return this.paceOf(target).factor * cost;
  }

  /** Returns the shortest likely time of an image in milliseconds; 0 until some images have finished. */
  minimum(target: TargetName, cost: number): number {
    return this.paceOf(target).samples < MIN_SAMPLES ? 0 : EASY_SHARE * this.expected(target, cost);
  }

  private paceOf(target: TargetName): Pace {
    return this.paces.get(target) ?? UNKNOWN;
  }
}
