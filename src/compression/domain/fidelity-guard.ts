/**
 * Decides whether changed pixels of a PNG may stand for the original: a palette of 256 colours, or samples that are off
 * by a few of 255. Both fail otherwise than JPEG does: smooth gradients turn into bands, a rare colour is merged with
 * another, faint transparency with none. The whole image is therefore compared, over white and over black where it has
 * transparency, by the score that JPEGs are held to (its fifth term sees banding), with a stricter target, and by the
 * greatest shift of colour in any small block.
 */
import { isOpaque, compositeOver, type Pixels } from './pixels';
import { ScoreReference } from './score/ssim-score';

/**
 * Least score: a weighted sum of losses of 0.57, where 1 is an SSIMULACRA2 of 80. The worst results up to there had an
 * SSIMULACRA2 of 86, of 24 graphics with soft shadows, glows and gradients, and 8 photos.
 */
const MIN_SCORE = 1 - 0.57 * 0.0086;
/**
 * Greatest shift of colour of a block, in XYB: two just noticeable steps. A rare colour that is merged with another
 * shows here, however large the image is (0.02 to 0.03 in results that look the same, 0.08 in banded ones).
 */
const MAX_SHIFT = 0.04;

export interface Verdict {
  readonly passes: boolean;
  /** The lower of the scores over the backgrounds, 0..1. */
  readonly score: number;
  /** The loss in units of what is allowed: up to 1 where the score passes. */
  readonly loss: number;
}

/** Prepared once for an image, asked for every candidate. */
export class FidelityGuard {
  private readonly references: readonly { readonly background: number; readonly reference: ScoreReference }[];
  private readonly minScore: number;

  /** @param targetScore what the operator asks of JPEGs; where it is stricter, it holds here too. */
  constructor(source: Pixels, targetScore: number) {
    this.minScore = Math.max(MIN_SCORE, targetScore);
    const backgrounds = isOpaque(source) ? [255] : [255, 0];
    this.references = backgrounds.map((background) => ({
      background,
      reference: new ScoreReference(compositeOver(background, source)),
    }));
  }

  judge(candidate: Pixels): Verdict {
    let score = 1;
    let worstShift = 0;
    for (const { background, reference } of this.references) {
      const result = reference.scoreAndShift(compositeOver(background, candidate));
      score = Math.min(score, result.score);
      worstShift = Math.max(worstShift, result.worstShift);
    }
    const passes = score >= this.minScore && worstShift <= MAX_SHIFT;
    return { passes, score, loss: (1 - score) / (1 - this.minScore) };
  }
}
