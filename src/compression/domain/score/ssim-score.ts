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
import { FineReference } from './fine-structure';
import { asRgb, smallPlanes, type SmallPlanes } from './perceptual-planes';
import { sameSize, type Dimensions } from '../dimensions';
import type { Pixels, Plane } from '../pixels';
import { pooledLoss } from './window-ssim';

/** Two pictures, as far as the losses need them. */
interface Compared {
  /** Loss of fine structure. */
  readonly fine: number;
  readonly source: SmallPlanes;
  readonly candidate: SmallPlanes;
}

interface Term {
  readonly name: string;
  readonly loss: (compared: Compared) => number;
  /** Of the mean that the loss is pooled by. */
  readonly power: 2 | 4;
  /** Fitted; the sum of the weighted losses is 1 where the median image has an SSIMULACRA2 of 80. */
  readonly weight: number;
}

export const TERMS: readonly Term[] = [
  { name: 'fine structure', power: 4, weight: 9.09, loss: ({ fine }) => fine },
  {
    name: 'coarse structure',
    power: 2,
    weight: 185.7,
    loss: between(pooledLoss, ({ quarter }) => quarter.y, 2),
  },
  {
    name: 'blocking and banding',
    power: 2,
    weight: 246.2,
    loss: between(addedEdges, ({ eighth }) => eighth.y, 2),
  },
  {
    name: 'red-green structure',
    power: 4,
    weight: 9.54,
    loss: between(pooledLoss, ({ quarter }) => quarter.x, 4),
  },
  { name: 'blue structure', power: 4, weight: 23.2, loss: between(pooledLoss, ({ eighth }) => eighth.b, 4) },
  { name: 'blue blocking', power: 4, weight: 90.3, loss: between(addedEdges, ({ eighth }) => eighth.b, 4) },
];

function between(
  loss: (a: Plane, b: Plane, power: 2 | 4) => number,
  plane: (planes: SmallPlanes) => Plane,
  power: 2 | 4,
): Term['loss'] {
  return ({ source, candidate }) => loss(plane(source), plane(candidate), power);
}

/** Loss of score for a weighted sum of 1: 0.9914, the score at SSIMULACRA2 80, is the default target. */
const SCORE_LOSS_PER_UNIT = 0.0086;

/** A source image made ready once, to be compared with many candidates of the same size. */
export class ScoreReference {
  private readonly size: Dimensions;
  private readonly fine: FineReference;
  private readonly planes: SmallPlanes;

  constructor(source: Pixels) {
    this.size = { width: source.width, height: source.height };
    this.fine = new FineReference(asRgb(source));
    this.planes = smallPlanes(this.fine.light);
  }

  /**
   * The score of a candidate against this reference, 0..1; exactly 1 when nothing visible differs.
   * @throws RangeError when the sizes differ.
   */
  score(candidate: Pixels): number {
    return scoreOf(this.losses(candidate));
  }

  /**
   * The score, and the greatest shift of colour: the largest difference between the means of any block (4×4 px for
   * brightness and red-green, 8×8 for blue) in XYB, where 0.02 is a just noticeable step of brightness.
   */
  scoreAndShift(candidate: Pixels): { readonly score: number; readonly worstShift: number } {
    const compared = this.compare(candidate);
    const [a, b] = [compared.source, compared.candidate];
    const worstShift = Math.max(
      largestDifference(a.quarter.y, b.quarter.y),
      largestDifference(a.quarter.x, b.quarter.x),
      largestDifference(a.eighth.b, b.eighth.b),
    );
    return { score: scoreOf(lossesOf(compared)), worstShift };
  }

  /** The six losses, unweighted, in the order of TERMS. */
  losses(candidate: Pixels): number[] {
    return lossesOf(this.compare(candidate));
  }

  private compare(candidate: Pixels): Compared {
    if (!sameSize(candidate, this.size)) throw new RangeError('Only images of one size can be compared');
    const { loss, light } = this.fine.compare(asRgb(candidate));
    return { fine: loss, source: this.planes, candidate: smallPlanes(light) };
  }
}

function lossesOf(compared: Compared): number[] {
  return TERMS.map(({ loss }) => loss(compared));
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
