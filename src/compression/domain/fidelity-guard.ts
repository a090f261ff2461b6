/**
 * Decides whether the changed pixels of a PNG (a palette, or samples that differ by a few of 255) look like the
 * original. Their artifacts differ from those of JPEG: smooth gradients become bands, rare colours are merged with
 * others, faint transparency disappears. So the guard compares the whole image, over white and, if it has transparency,
 * over black. It uses the score for JPEGs (whose fifth term sees banding) with a stricter target, and limits the colour
 * shift of small blocks.
 */
import { colourCount, rgbaOf, type IndexedImage } from './palette/indexed-image';
import { isOpaque, compositeOver, type Pixels } from './pixels';
import { LOSS_AT_SSIMULACRA2_80, ScoreReference } from './score/ssim-score';

/**
 * Lowest score: 0.57 of the loss at an SSIMULACRA2 of 80. Of 24 graphics with soft shadows,
 * glows and gradients, and 8 photos, the worst accepted results had an SSIMULACRA2 of 86.
 */
const MIN_SCORE = 1 - 0.57 * LOSS_AT_SSIMULACRA2_80;
/**
 * Largest colour shift of a block, in XYB: two just noticeable differences. It detects merged rare colours in images of
 * any size (0.02 to 0.03 in results that look the same, 0.08 in banded ones).
 */
const MAX_SHIFT = 0.04;

export interface Verdict {
  readonly passes: boolean;
  /** The lowest score over the backgrounds, 0..1. */
  readonly score: number;
  /** The loss relative to the allowed loss; at most 1 if the score passes. */
  readonly loss: number;
  /** Whether the colours of some block shift too much. */
  readonly isShifted: boolean;
}

/** Compares candidates with an image; the image is prepared once. */
export class FidelityGuard {
  private readonly references: readonly { readonly background: number; readonly reference: ScoreReference }[];
  private readonly minScore: number;
  /** Memory for the pixels of palette images, which are judged one after the other; new memory takes longer to fill. */
  private canvas: Uint32Array<ArrayBuffer> | undefined;

  /** Returns the largest loss (1 − score) that passes. */
  static allowedLoss(targetScore: number): number {
    return 1 - Math.max(MIN_SCORE, targetScore);
  }

  /** @param targetScore the target for JPEGs; it applies here too if it is stricter */
  constructor(source: Pixels, targetScore: number) {
    this.minScore = Math.max(MIN_SCORE, targetScore);
    const backgrounds = isOpaque(source) ? [255] : [255, 0];
    this.references = backgrounds.map((background) => ({
      background,
      reference: new ScoreReference(compositeOver(background, source)),
    }));
  }

  judge(candidate: Pixels | IndexedImage): Verdict {
    let score = 1;
    let worstShift = 0;
    for (const { background, reference } of this.references) {
      const result = reference.scoreAndShift(this.shownOver(background, candidate));
      score = Math.min(score, result.score);
      worstShift = Math.max(worstShift, result.worstShift);
    }
    const isShifted = worstShift > MAX_SHIFT;
    const passes = score >= this.minScore && !isShifted;
    return { passes, score, loss: (1 - score) / (1 - this.minScore), isShifted };
  }

  /** Composites the palette, not the pixels, of an indexed image. */
  private shownOver(background: number, image: Pixels | IndexedImage): Pixels {
    if (!('palette' in image)) return compositeOver(background, image);
    const { width, height } = image;
    const colours: Pixels = { width: colourCount(image), height: 1, channels: 4, data: image.palette };
    this.canvas ??= new Uint32Array(width * height);
    return rgbaOf({ ...image, palette: compositeOver(background, colours).data }, this.canvas);
  }
}
