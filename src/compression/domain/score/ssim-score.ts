/**
 * The score: how similar two images look, from 0 to 1. It is 1 minus a weighted sum of six losses of structure and of
 * added edges, each pooled so that the worst regions dominate. The weights are fitted so that images with the same
 * score have the same SSIMULACRA2 (see docs/how-it-works.md): compressed to one score, varied images differ by 0.5
 * points (standard deviation); compressed to one mean SSIM, by 5.4.
 */
import { sameSize, type Dimensions } from '../dimensions';
import { withColourChannels, type Pixels } from '../pixels';
import { asSeen, seenSize } from './as-seen';
import type { Comparison, PreparedReference } from './comparison';
import { FastReference } from './fast-reference';
import { PlainReference } from './plain-reference';
import type { ShiftMeter, Shifts } from './shifts';

interface Term {
  readonly name: string;
  readonly loss: (compared: Comparison, power: 2 | 4) => number;
  /** Exponent of the power mean: with 2 all places count, with 4 the worst dominate. */
  readonly power: 2 | 4;
  /** Fitted weight. The weighted losses add up to 1 if the median image has an SSIMULACRA2 of 80. */
  readonly weight: number;
}

export const TERMS: readonly Term[] = [
  { name: 'fine structure', power: 4, weight: 8.991, loss: (compared) => compared.fineStructure() },
  {
    name: 'coarse structure',
    power: 2,
    weight: 188.3,
    loss: (compared, power) => compared.structure('quarterY', power),
  },
  {
    name: 'blocking and banding',
    power: 2,
    weight: 203.8,
    loss: (compared, power) => compared.addedEdges('eighthY', power),
  },
  {
    name: 'red-green structure',
    power: 4,
    weight: 9.939,
    loss: (compared, power) => compared.structure('quarterX', power),
  },
  {
    name: 'blue structure',
    power: 4,
    weight: 18.31,
    loss: (compared, power) => compared.structure('eighthB', power),
  },
  {
    name: 'blue blocking',
    power: 4,
    weight: 90.13,
    loss: (compared, power) => compared.addedEdges('eighthB', power),
  },
];

/**
 * The loss (1 − score) of the median image at an SSIMULACRA2 of 80, where the weighted sum is 1. The default target, 0.9914,
 * allows exactly this loss. A loss is always 1 − score, except in a Verdict, where 1 is the allowed loss.
 */
export const LOSS_AT_SSIMULACRA2_80 = 0.0086;

/** A source image prepared once for comparisons with many candidates of the same size. */
export class ScoreReference {
  private readonly size: Dimensions;
  private readonly prepared: PreparedReference;

  /** @param seen the size at which both are seen, if they are given in that size */
  constructor(
    source: Pixels,
    private readonly density = 1,
    private readonly seen = seenSize(source, density),
  ) {
    this.size = { width: source.width, height: source.height };
    this.prepared = prepareReference(asSeen(source, this.seen));
  }

  /** Returns the score of a candidate, 0..1. @throws RangeError when the sizes differ */
  score(candidate: Pixels): number {
    return computeScore(this.losses(candidate), this.density);
  }

  /** Returns the score, and the shifts of blocks: see shifts.ts. Both come from one pass over the candidate. */
  scoreAndShifts(candidate: Pixels, meter: ShiftMeter): { readonly score: number } & Shifts {
    return this.compare(candidate, (compared) => ({
      score: computeScore(computeLosses(compared), this.density),
      ...meter.measureShifts(compared),
    }));
  }

  /** Returns the six losses, unweighted, in the order of TERMS. */
  losses(candidate: Pixels): number[] {
    return this.compare(candidate, computeLosses);
  }

  private compare<T>(candidate: Pixels, look: (compared: Comparison) => T) {
    if (!sameSize(candidate, this.size)) throw new RangeError('Only images of the same size can be compared');
    return this.prepared.compare(withColourChannels(asSeen(candidate, this.seen)), look)[0];
  }
}

/** Returns a reference whose tiles, which cover it completely, are compared separately. */
export function prepareReference(source: Pixels, tile: Dimensions = source): PreparedReference {
  const Reference = FastReference.canRead(tile) ? FastReference : PlainReference;
  return new Reference(withColourChannels(source), tile);
}

export function computeLosses(compared: Comparison): number[] {
  return TERMS.map(({ loss, power }) => loss(compared, power));
}

/** @param losses unweighted, in the order of TERMS */
export function computeScore(losses: readonly number[], density = 1): number {
  const sum = losses.reduce((total, loss, i) => total + loss * TERMS[i].weight, 0);
  return Math.max(0, 1 - sum * LOSS_AT_SSIMULACRA2_80 * weightAt(density));
}

/** Weight of all losses at the densities 1 to 4, so that the same score has the same SSIMULACRA2 (7 photos in three formats). */
const WEIGHTS_BY_DENSITY = [1, 0.96, 0.96, 0.96];

function weightAt(density: number) {
  const below = Math.min(Math.floor(density), WEIGHTS_BY_DENSITY.length - 1);
  const [from, to] = [WEIGHTS_BY_DENSITY[below - 1], WEIGHTS_BY_DENSITY[below]];
  return from + (density - below) * (to - from);
}
