/**
 * Judges files of an image: by score, smooth ground and stains where it is a photo, by the guard, and smooth ground if opaque, where it is a graphic, and a mosaic in trials. A judge is made
 * once for an image, because preparing the reference costs as much as a comparison.
 */
import { FidelityGuard } from './fidelity-guard';
import { alphaOver, isOpaque, type Pixels } from './pixels';
import { AreaMeter, type AreaLimits } from './score/small-areas';
import { LOSS_AT_SSIMULACRA2_80, ScoreReference } from './score/ssim-score';
import { needsSharpChroma } from './shared-chroma';
import { SmoothGround } from './smooth-ground';
import type { Mosaic } from './search/mosaic';
import { MosaicReference } from './search/mosaic-score';
import { once } from './once';

export interface Judge {
  readonly allowedLoss: number;
  prepare(): void;
  /** @param lossWeight how much the loss of the score counts, by format */
  judge(candidate: Pixels, lossWeight?: number): Judgement;
}

interface Judgement {
  readonly score: number;
  /** The score that steers the search: lower if another measure is beyond its limit, or nearer to it. */
  readonly searchScore: number;
}

/**
 * A stain: a tint of 10 levels in an area. The 16th worst area of 125 photos has up to 6, of charts with a Butteraugli of 1.5 to 2 up to 9.8,
 * of stained text and lines 10.6 and more.
 */
const STAIN: AreaLimits = { tint: 10, difference: Infinity };
/**
 * About a spot of 20 px, whatever the size of the image. Text and lines of 7 drawings lost their hue in the 4:2:0 of WebP at any quality:
 * 83 areas and more. A hue that runs over one edge of a drawing has a few, and keeping it would take four times the bytes.
 */
const FEWEST_STAINS = 16;

/**
 * Judges an image by the score, over white and, if it has transparency, over black; by its smooth ground where it is opaque. Where
 * sharing chroma would change lightness, also by stains at a density of 1, unless only JPEGs are judged: their coding with full chroma wins
 * where colours suffer.
 */
export function photoJudge(source: Pixels, allowedLoss: number, density = 1, isOfJpegs = false): Judge {
  const hasNoAlpha = isOfJpegs || source.channels % 2 === 1;
  const views = once(() =>
    (hasNoAlpha ? [undefined] : [255, 0]).map((background) => {
      const shown = (pixels: Pixels) => (background === undefined ? pixels : alphaOver(background, pixels));
      return { shown, reference: new ScoreReference(shown(source), density) };
    }),
  );
  const ground = once(() => (hasNoAlpha ? new SmoothGround(source, density) : undefined));
  const isStainable = source.channels === 3 && !isOfJpegs && density === 1;
  const areas = once(() => (isStainable && needsSharpChroma(source) ? new AreaMeter(source) : undefined));
  // A result that may look different may do so there, too.
  const lossBesides = Math.min(allowedLoss, LOSS_AT_SSIMULACRA2_80);
  return {
    allowedLoss,
    prepare: () => {
      views();
      ground();
      areas();
    },
    judge: (candidate, lossWeight = 1) => {
      const losses = views().map(({ reference, shown }) => 1 - reference.score(shown(candidate)));
      const score = 1 - lossWeight * Math.max(...losses);
      const ofStains = areas()?.find(candidate, STAIN)[FEWEST_STAINS - 1]?.excess ?? 0;
      const loss = lossBesides * Math.max(ground()?.measure(candidate) ?? 0, ofStains);
      return { score, searchScore: loss > allowedLoss ? Math.min(score, 1 - loss) : score };
    },
  };
}

/** Judges trials of a mosaic, over white. */
export class MosaicJudge {
  readonly prepare = once(() => {
    const pixels = alphaOver(255, this.mosaic.pixels);
    return new MosaicReference({ ...this.mosaic, pixels }, this.seamPx);
  });
  /** The largest standard error of the estimated losses so far, relative to the loss. */
  relativeError = 0;

  constructor(
    private readonly mosaic: Mosaic,
    private readonly seamPx?: number,
  ) {}

  get pixels(): Pixels {
    return this.mosaic.pixels;
  }

  measureLoss(decoded: Pixels): number {
    const { score, relativeError } = this.prepare().score(alphaOver(255, decoded));
    this.relativeError = Math.max(this.relativeError, relativeError);
    return 1 - score;
  }
}

/**
 * In XYB: three just noticeable differences. PNGs may have two: merged colours show in flat areas, blurred edges less.
 */
const MAX_SHIFT = 0.06;

/** Judges a graphic by the guard of PNGs, over white and black; by its smooth ground, too, where it is opaque. */
export function graphicJudge(source: Pixels, targetScore: number, density = 1): Judge {
  const guard = once(() => new FidelityGuard(source, targetScore, { density }));
  const ground = once(() => (isOpaque(source) ? new SmoothGround(source, density) : undefined));
  const allowedLoss = FidelityGuard.allowedLoss(targetScore);
  return {
    allowedLoss,
    prepare: () => {
      guard();
      ground();
    },
    judge: (candidate, lossWeight = 1) => {
      const { score, share } = guard().measureAll(candidate, MAX_SHIFT);
      // What may look different may do so there, too.
      const ofGround =
        Math.min(1, LOSS_AT_SSIMULACRA2_80 / allowedLoss) * (ground()?.measure(candidate) ?? 0);
      const worst = Math.max(share, ofGround);
      return { score: 1 - lossWeight * (1 - score), searchScore: Math.max(0, 1 - allowedLoss * worst) };
    },
  };
}
