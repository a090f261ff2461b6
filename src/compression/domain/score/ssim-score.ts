/**
 * The score: how alike two images look, from 0 to 1, where 1 is given only to images that look identical.
 *
 * Six losses are added up: structural similarity of brightness at full and quarter size and of both colour planes at
 * the sizes where the eye resolves them, and edges that were not there before at an eighth, where blocking and
 * banding show. Each is pooled so that the worst regions decide, and weighted by what it takes to bring different
 * images to the same SSIMULACRA2 (docs/how-it-works.md says how well that works; `npm run calibrate` checks it).
 *
 * Why not mean SSIM, as other tools take it: searched to one mean SSIM, varied images end with a standard deviation
 * of 5.4 points of SSIMULACRA2 between them; searched to one value of this score, 0.5.
 */
import { addedEdges } from './added-edges';
import { perceptualPlanes, type PerceptualPlanes } from './perceptual-planes';
import type { Pixels, Plane } from '../pixels';
import { pooledLoss } from './window-ssim';

interface Term {
  readonly name: string;
  readonly plane: (planes: PerceptualPlanes) => Plane;
  readonly loss: (a: Plane, b: Plane, power: 2 | 4) => number;
  /** Of the mean that the loss is pooled by. */
  readonly power: 2 | 4;
  /** Fitted; the sum of the weighted losses is 1 where the median image has an SSIMULACRA2 of 80. */
  readonly weight: number;
}

export const TERMS: readonly Term[] = [
  { name: 'fine structure', plane: ({ y }) => y, loss: pooledLoss, power: 4, weight: 9.09 },
  { name: 'coarse structure', plane: ({ quarter }) => quarter.y, loss: pooledLoss, power: 2, weight: 185.7 },
  {
    name: 'blocking and banding',
    plane: ({ eighth }) => eighth.y,
    loss: addedEdges,
    power: 2,
    weight: 246.2,
  },
  {
    name: 'red-green structure',
    plane: ({ quarter }) => quarter.x,
    loss: pooledLoss,
    power: 4,
    weight: 9.54,
  },
  { name: 'blue structure', plane: ({ eighth }) => eighth.b, loss: pooledLoss, power: 4, weight: 23.2 },
  { name: 'blue blocking', plane: ({ eighth }) => eighth.b, loss: addedEdges, power: 4, weight: 90.3 },
];

/** Loss of score for a weighted sum of 1: 0.9914, the score at SSIMULACRA2 80, is the default target. */
const SCORE_LOSS_PER_UNIT = 0.0086;

/** A source image made ready once, to be compared with many candidates of the same size. */
export class ScoreReference {
  private readonly planes: PerceptualPlanes;

  constructor(source: Pixels) {
    this.planes = perceptualPlanes(source);
  }

  /**
   * The score of a candidate against this reference, 0..1; exactly 1 when nothing visible differs.
   * @throws RangeError when the sizes differ.
   */
  score(candidate: Pixels): number {
    return scoreOf(this.lossesOf(this.planesOf(candidate)));
  }

  /**
   * The score, and the greatest shift of colour: the largest difference between the means of any block (4×4 px for
   * brightness and red-green, 8×8 for blue) in XYB, where 0.02 is a just noticeable step of brightness.
   */
  scoreAndShift(candidate: Pixels): { readonly score: number; readonly worstShift: number } {
    const planes = this.planesOf(candidate);
    const worstShift = Math.max(
      largestDifference(this.planes.quarter.y, planes.quarter.y),
      largestDifference(this.planes.quarter.x, planes.quarter.x),
      largestDifference(this.planes.eighth.b, planes.eighth.b),
    );
    return { score: scoreOf(this.lossesOf(planes)), worstShift };
  }

  /** The six losses, unweighted, in the order of TERMS. */
  losses(candidate: Pixels): number[] {
    return this.lossesOf(this.planesOf(candidate));
  }

  private planesOf(candidate: Pixels): PerceptualPlanes {
    const { width, height } = this.planes.y;
    if (candidate.width !== width || candidate.height !== height) {
      throw new RangeError('Only images of one size can be compared');
    }
    return perceptualPlanes(candidate);
  }

  private lossesOf(planes: PerceptualPlanes): number[] {
    return TERMS.map(({ plane, loss, power }) => loss(plane(this.planes), plane(planes), power));
  }
}

/** @param losses in the order of TERMS */
export function scoreOf(losses: readonly number[]): number {
  const sum = losses.reduce((total, loss, i) => total + loss * TERMS[i].weight, 0);
  return Math.max(0, 1 - sum * SCORE_LOSS_PER_UNIT);
}

function largestDifference(a: Plane, b: Plane): number {
  let largest = 0;
  for (let i = 0; i < a.data.length; i++) largest = Math.max(largest, Math.abs(a.data[i] - b.data[i]));
  return largest;
}
