/** Decides whether a candidate in another format looks like its source. */
import { FidelityGuard } from '../../domain/fidelity-guard';
import { compositeOver, type Pixels } from '../../domain/pixels';
import { ScoreReference } from '../../domain/score/ssim-score';

/** Compares decoded candidates with one image. */
export interface Judge {
  /** Largest loss, 1 − score, of a candidate that passes. */
  readonly allowedLoss: number;
  /** Returns the score of a candidate, 0..1. */
  score(candidate: Pixels): number;
}

/** Judges a photo by the score alone. */
export function photoJudge(source: Pixels, allowedLoss: number): Judge {
  let reference: ScoreReference | undefined;
  return {
    allowedLoss,
    score: (candidate) => (reference ??= new ScoreReference(overWhite(source))).score(overWhite(candidate)),
  };
}

/** Returns transparent pixels as they show over white. */
export function overWhite(pixels: Pixels): Pixels {
  return pixels.channels % 2 === 0 ? compositeOver(255, pixels) : pixels;
}

/** A candidate whose colours shift too much is scored as one that loses this many times what is allowed. */
const SHIFTED = 1.3;

/**
 * Judges a graphic by the guard of PNGs: over white and black, with a limit for colour shifts.
 * @param lossFactor share of the guard's loss that is allowed
 */
export function graphicJudge(source: Pixels, targetScore: number, lossFactor: number): Judge {
  let guard: FidelityGuard | undefined;
  const allowedLoss = FidelityGuard.allowedLoss(targetScore) * lossFactor;
  return {
    allowedLoss,
    score: (candidate) => {
      const { score, isShifted } = (guard ??= new FidelityGuard(source, targetScore)).judge(candidate);
      return isShifted ? Math.min(score, 1 - SHIFTED * allowedLoss) : score;
    },
  };
}
