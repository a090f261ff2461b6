/** Refines the colours of a palette that fails narrowly, and dithers smooth areas in steps: other codings cost more. */
import type { Verdict } from '../../domain/fidelity-guard';
import { withDitheredAreas } from '../../domain/palette/dithered-areas';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { histogramOf, withRefinedPalette } from '../../domain/palette/refined-palette';
import { findSmoothAreas } from '../../domain/smooth-areas';
import { smallerPacking } from './png-codings';
import type { LossySource } from './png-work';

export const MOST_REFINED_PIXELS = 1_000_000;
export const REFINABLE_LOSS = 1.5;
/** Weights of pixels in smooth areas, by their caps: see smooth-areas.ts. Some images fail by contours, others by their edges. */
const STARTS = [
  [1, 8, 4, 2],
  [1, 3, 2, 1.5],
  [1, 1, 1, 1],
];
/** Strengths of dithering, tried in turn while none passes. */
const DITHERS = [0, 0.5, 0.75];

export interface JudgedImage extends Verdict {
  readonly image: IndexedImage;
}

/** Returns the smallest image that passes; undefined if none does. The failed image has exact colours. */
export function refined(
  { image, loss }: JudgedImage,
  { pixels, kept }: LossySource,
  judge: (candidate: IndexedImage) => JudgedImage,
): JudgedImage | undefined {
  if (loss > REFINABLE_LOSS || pixels.width * pixels.height > MOST_REFINED_PIXELS) return undefined;
  const areas = findSmoothAreas(pixels);
  const starts = STARTS.flatMap((weights) => {
    const histogram = histogramOf(pixels, areas, weights);
    return histogram ? [withRefinedPalette(image, histogram, kept)] : [];
  });
  for (const strength of DITHERS) {
    const passing = starts
      .map((start) => judge(strength ? withDitheredAreas(start, pixels, { kept, areas, strength }) : start))
      .filter(({ passes }) => passes)
      .map((judged) => ({ judged, estimate: smallerPacking(judged.image).estimate }));
    if (passing.length > 0) return passing.sort((a, b) => a.estimate - b.estimate)[0].judged;
  }
  return undefined;
}
