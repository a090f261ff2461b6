/**
 * Whether a picture of at most 256 colours may stand for the original. Palettes fail otherwise than JPEG does: smooth
 * gradients turn into bands, a rare colour is merged with another, faint transparency with none. The whole picture is
 * therefore compared, over a white and a black background where it has transparency, by two measures:
 * the score that JPEGs are held to, to a stricter target, and the greatest shift of colour in any small block.
 */
import { isOpaque, over, type Pixels } from './pixels';
import { ScoreReference } from './score/ssim-score';

/**
 * Least score of a palette picture: a weighted sum of losses of 0.55. On the graphics of the development corpus all
 * results up to there had an SSIMULACRA2 of 86 and more.
 */
const PALETTE_SCORE = 0.99527;
/**
 * Greatest shift of colour of a block, in XYB: two just noticeable steps. A rare colour that is merged with another
 * shows here, however large the picture is (0.02 to 0.03 in results that look the same, 0.08 in banded ones).
 */
const MOST_SHIFT = 0.04;
/** Losses at which another, finer palette is not worth a try: in units of what is allowed. */
const HOPELESS_LOSS = 5;

export interface PaletteVerdict {
  readonly passes: boolean;
  /** No finer palette of 256 colours will pass either. */
  readonly isHopeless: boolean;
  /** The lower of the scores over the backgrounds, 0..1. */
  readonly score: number;
}

/** Made ready once for a picture, asked for every palette that is tried. */
export class PaletteGuard {
  private readonly references: readonly { readonly background: number; readonly reference: ScoreReference }[];
  private readonly leastScore: number;

  /** @param targetScore what the operator asks of JPEGs; a stricter one is asked of palettes, too. */
  constructor(source: Pixels, targetScore: number) {
    this.leastScore = Math.max(PALETTE_SCORE, targetScore);
    const backgrounds = isOpaque(source) ? [255] : [255, 0];
    this.references = backgrounds.map((background) => ({
      background,
      reference: new ScoreReference(over(background, source)),
    }));
  }

  judge(candidate: Pixels): PaletteVerdict {
    let score = 1;
    let hasLocalShift = false;
    for (const { background, reference } of this.references) {
      const result = reference.scoreAndShift(over(background, candidate));
      score = Math.min(score, result.score);
      hasLocalShift ||= result.worstShift > MOST_SHIFT;
    }
    const passes = score >= this.leastScore && !hasLocalShift;
    return { passes, isHopeless: (1 - score) / (1 - this.leastScore) > HOPELESS_LOSS, score };
  }
}
