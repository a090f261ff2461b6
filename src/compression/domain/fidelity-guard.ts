/**
 * Decides whether the changed pixels of a PNG look like the original: a palette, or samples that differ by a
 * few of 255.
 *
 * The artefacts are not those of a JPEG, for which the weights of the score are fitted: smooth gradients
 * become bands, rare colours merge with others, soft shadows get rings, faint alpha disappears. SSIMULACRA2
 * weighs all of them alike in every kind of image, so it judges the whole image, over white and, if there is
 * transparency, over black. Limits on colour shifts and contours of small blocks find what any mean over the
 * image misses: a marker on a map, one band in a sky.
 */
import { QUALITY_TARGETS } from './compression-policy';
import type { Dimensions } from './dimensions';
import { colourCount, MAX_COLOURS, toRgba, type IndexedImage } from './palette/indexed-image';
import { once } from './once';
import { isOpaque, compositeOver, type Pixels } from './pixels';
import { findShadows, findSmoothAreas } from './smooth-areas';
import { asSeen, seenSize } from './score/as-seen';
import { ShiftMeter } from './score/shifts';
import { AreaMeter, type AreaLimits, type ChangedArea } from './score/small-areas';
import { LOSS_AT_SSIMULACRA2_80, ScoreReference } from './score/ssim-score';
import { MIN_SIDE_PX, ssimulacra2Distance } from './score/ssimulacra2';

/** Largest distance: an SSIMULACRA2 of 85, halfway between 80 (no difference side by side) and 90 (none when flipping). */
const MAX_DISTANCE = 0.82;
/** Share of a JPG's loss, because the score is not fitted to the artefacts of palettes. */
const LOSS_SHARE = 0.8;
/** Lowest score at the default quality. It detects banding in places too small for SSIMULACRA2, and judges images too small for it. */
const MIN_SCORE = 1 - LOSS_SHARE * LOSS_AT_SSIMULACRA2_80;
/**
 * Of the mean of a block, in XYB: two just noticeable differences. Merged rare colours shift this much in
 * images of any size: results that look the same have 0.02 to 0.03, banded ones 0.08.
 */
const MAX_SHIFT = 0.04;
/**
 * In XYB: less than half a just noticeable difference, because the eye follows a line. A drawn pyramid showed
 * bands at 200% with 0.012 and none with 0.008; photos have 0.004 to 0.006.
 */
const MAX_CONTOUR = 0.008;
/** Highest contour of 2 px, in XYB: rings in small drawings showed from 0.0103; photos and wallpapers have up to 0.007. */
const MAX_FINE_CONTOUR = 0.01;
/** In soft shadows, reduced: below it the Butteraugli of a card is 0.8 to 1.2, above it 1.7 to 3.1. */
const MAX_SHADOW_CONTOUR = 0.005;

/**
 * Of 8×8 px, the tint in levels of 255: spots whose hue was lost had 8 to 15, near-lossless photos have up to 3. Shadows and edges with
 * too few shades differed by 1 to 1.7 times what contrast hides; results that look the same at 5 times their size differ by up to 0.9.
 */
const AREA_LIMITS: AreaLimits = { tint: 6, difference: 1 };
/** The limit of the difference is larger by this factor where no colour is left to add: without a palette, photos on plain pages take twice the bytes. */
const FULL_PALETTE = 1.5;

/** The largest shift that ever passes, ÷ MAX_SHIFT: rare colours stay distinct however large the allowed loss. */
const MOST_SHIFTS = 3;

export interface Verdict {
  readonly passes: boolean;
  /** The lowest score over the backgrounds that were compared, 0..1. */
  readonly score: number;
  /** The loss relative to the allowed loss; at most 1 if the candidate passes. */
  readonly loss: number;
  /** Absent unless only small areas fail: those, the worst first, of the first background on which they do. */
  readonly changed?: readonly ChangedArea[];
}

/** What the guard needs to know besides the pixels. */
export interface GuardOptions {
  /**
   * The size of the image that contains the source, so that bands of it are weighted like the whole; the
   * source's own if absent.
   */
  readonly whole?: Dimensions;
  /** Pixels per CSS pixel at which both are seen, 1..4. */
  readonly density?: number;
  /** For a result that may look different; the other limits grow with it. */
  readonly allowedLoss?: number;
}

/** The source over one background, as it is seen. */
interface View {
  readonly background: number;
  readonly shown: Pixels;
  readonly reference: ScoreReference;
  /** Everywhere, and in shadows; made on first use: a score alone does not need them. */
  readonly meters: () => readonly [ShiftMeter, ShiftMeter | undefined];
  readonly areas: () => AreaMeter;
}

/** Compares candidates with one source, which is prepared once. RGBA, or palette images of the same size. */
export class FidelityGuard {
  private readonly views: readonly View[];
  private readonly allowedLoss: number;
  /** How much larger all limits are than the default ones; at least 1. */
  readonly scale: number;
  /** The same for heights of contours. */
  private readonly heights: number;
  private readonly maxShift: number;
  private readonly whole: Dimensions;
  readonly seen: Dimensions;
  /** Memory for the pixels of palette images, which are judged one at a time; filling new memory takes longer. */
  private canvas: Uint32Array<ArrayBuffer> | undefined;

  /** Returns the loss (1 − score) that the guard allows for a target. Below `high`, all limits grow with it. */
  static allowedLoss(targetScore: number): number {
    if (targetScore < QUALITY_TARGETS.high) return LOSS_SHARE * (1 - targetScore);
    return 1 - Math.max(MIN_SCORE, targetScore);
  }

  constructor(
    source: Pixels,
    targetScore: number,
    { whole = source, density = 1, allowedLoss = FidelityGuard.allowedLoss(targetScore) }: GuardOptions = {},
  ) {
    this.whole = seenSize(whole, density);
    this.seen = seenSize(source, density);
    this.allowedLoss = allowedLoss;
    this.scale = Math.max(1, allowedLoss / (1 - MIN_SCORE));
    // Losses grow with the square of differences.
    this.heights = Math.sqrt(this.scale);
    this.maxShift = MAX_SHIFT * Math.min(this.heights, MOST_SHIFTS);
    const backgrounds = isOpaque(source) ? [255] : [255, 0];
    this.views = backgrounds.map((background) => {
      const shown = asSeen(compositeOver(background, source), this.seen);
      const meters = once(() => {
        const smooth = findSmoothAreas(shown);
        const shadows =
          density > 1 && backgrounds.length > 1 ? findShadows(smooth, source, density) : undefined;
        return [new ShiftMeter(smooth), shadows && new ShiftMeter(shadows)] as const;
      });
      const areas = once(() => new AreaMeter(shown));
      return { background, shown, reference: new ScoreReference(shown, density, this.seen), meters, areas };
    });
  }

  /**
   * Returns the verdict on a candidate. It stops at the first measure that fails, so a refusal has a partial
   * loss.
   */
  judge(candidate: Pixels | IndexedImage): Verdict {
    let [score, loss] = [1, 0];
    let changed: readonly ChangedArea[] = [];
    for (const view of this.views) {
      const shown = this.shownOver(view.background, candidate);
      const measured = this.measure(view, shown, true);
      score = Math.min(score, measured.score);
      loss = Math.max(loss, measured.loss);
      // One background that shows the difference is enough.
      if (loss > 1 || measured.worstShift > this.maxShift) return { passes: false, score, loss };
      if (changed.length === 0) changed = view.areas().find(shown, this.areaLimits(candidate));
    }
    return { passes: changed.length === 0, score, loss, ...(changed.length > 0 && { changed }) };
  }

  /** Returns the areas of a palette image that change too much, as in a verdict, without the other measures. */
  findChanged(candidate: IndexedImage): readonly ChangedArea[] {
    for (const { background, areas } of this.views) {
      const found = areas().find(this.shownOver(background, candidate), this.areaLimits(candidate));
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Without a palette, samples differ by no more than their area allows: see near-lossless. */
  private areaLimits(candidate: Pixels | IndexedImage): AreaLimits {
    const { tint, difference } = AREA_LIMITS;
    const isFull = 'palette' in candidate && colourCount(candidate) === MAX_COLOURS;
    const most = 'palette' in candidate ? difference * (isFull ? FULL_PALETTE : 1) : Infinity;
    return { tint: tint * this.heights, difference: most * this.scale };
  }

  /**
   * Takes all measures, also where a candidate fails by far. `share` is the largest share of a limit, at most 1 if it passes.
   * @param maxShift in XYB
   */
  measureAll(candidate: Pixels, maxShift: number): { readonly score: number; readonly share: number } {
    const measured = this.views.map((view) =>
      this.measure(view, this.shownOver(view.background, candidate), false),
    );
    const shares = measured.map(({ loss, worstShift }) =>
      // Losses grow with the square of differences.
      worstShift > maxShift ? Math.max(loss, (worstShift / maxShift) ** 2) : loss,
    );
    return { score: Math.min(...measured.map(({ score }) => score)), share: Math.max(...shares) };
  }

  /** Returns the lowest score over the backgrounds, 0..1, without the other measures. */
  score(candidate: Pixels | IndexedImage): number {
    return Math.min(
      ...this.views.map(({ background, reference }) =>
        reference.score(this.shownOver(background, candidate)),
      ),
    );
  }

  /** Returns the differences over one background; `worstShift` is that of a block, in XYB. */
  private measure({ shown: source, reference, meters }: View, shown: Pixels, stopsEarly: boolean) {
    const [meter, shadowMeter] = meters();
    const { score, worstShift, contour } = reference.scoreAndShifts(shown, meter);
    const { scale, heights } = this;
    let loss = Math.max((1 - score) / this.allowedLoss, contour / (MAX_CONTOUR * heights));
    // From fast to slow, so that most candidates that fail cost no SSIMULACRA2.
    const costlier = [
      () => meter.measureFineContour(source, shown) / (MAX_FINE_CONTOUR * heights),
      () => (shadowMeter?.measureFineContour(source, shown) ?? 0) / (MAX_SHADOW_CONTOUR * heights),
      () => this.distance(source, shown) / (MAX_DISTANCE * scale),
    ];
    for (const measureLoss of costlier) {
      if (stopsEarly && (loss > 1 || worstShift > this.maxShift)) break;
      loss = Math.max(loss, measureLoss());
    }
    return { score, loss, worstShift };
  }

  /** 0 for images too small for SSIMULACRA2, which the score and the shifts then judge alone. */
  private distance(source: Pixels, shown: Pixels) {
    const isSmall = Math.min(source.width, source.height) < MIN_SIDE_PX;
    return isSmall ? 0 : ssimulacra2Distance(source, shown, this.whole);
  }

  private shownOver(background: number, image: Pixels | IndexedImage) {
    return asSeen(this.over(background, image), this.seen);
  }

  /** Composites the palette of an indexed image, not its pixels. */
  private over(background: number, image: Pixels | IndexedImage) {
    if (!('palette' in image)) return compositeOver(background, image);
    const { width, height } = image;
    const colours: Pixels = { width: colourCount(image), height: 1, channels: 4, data: image.palette };
    this.canvas ??= new Uint32Array(width * height);
    return toRgba({ ...image, palette: compositeOver(background, colours).data }, this.canvas);
  }
}
