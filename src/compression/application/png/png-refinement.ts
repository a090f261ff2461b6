/** Refines the colours of a full palette that fails narrowly, and dithers smooth areas in steps: other codings cost more. */
import type { Verdict } from '../../domain/fidelity-guard';
import { withDitheredAreas } from '../../domain/palette/dithered-areas';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { drawColours, weigh } from '../../domain/palette/colour-histogram';
import { refinePalette } from '../../domain/palette/refined-palette';
import { smallerPacking } from './png-codings';
import { isLate } from '../context';
import type { LossySource, PngImage } from './png-image';

const REFINABLE_LOSS = 1.5;
/** With as few colours as gradients have, a refined palette loses less than half; but rings remain that only dithering hides. */
const REFINABLE_DRAWING_LOSS = 3;
const EVEN = [1, 1, 1, 1];
/** Weights of pixels by the caps of their areas: some images fail by contours, others by their edges. */
const STARTS = [[1, 8, 4, 2], EVEN];
/** Strengths of dithering, tried in turn while none passes. */
const DITHERS = [0.5, 0.75];
/** Other starts and strengths differ little: of 41 photos that dithering may save, none passed after more than 1.02. */
const HOPELESS_DITHERED_LOSS = 1.05;

export interface JudgedImage extends Verdict {
  readonly image: IndexedImage;
}

/** Returns the smallest image that passes; undefined if none does. */
export function refine(
  work: PngImage,
  source: LossySource,
  failed: JudgedImage,
  judge: (candidate: IndexedImage) => JudgedImage,
): JudgedImage | undefined {
  const { pixels, kept } = source;
  const starts = refinedStarts(work, source, failed).map(judge);
  starts.sort((a, b) => a.loss - b.loss);
  const passing = starts
    .filter(({ passes }) => passes && failed.loss <= REFINABLE_LOSS)
    .map((judged) => ({ judged, estimate: smallerPacking(judged.image).estimate }));
  if (passing.length > 0) return passing.sort((a, b) => a.estimate - b.estimate)[0].judged;
  const areas = source.areas();
  for (const strength of DITHERS) {
    for (const { image } of starts) {
      if (isLate(work)) return undefined;
      const dithered = judge(withDitheredAreas(image, pixels, { kept, areas, strength }));
      if (dithered.passes) return dithered;
      if (dithered.loss > HOPELESS_DITHERED_LOSS) return undefined;
    }
  }
  return undefined;
}

function refinedStarts(
  work: PngImage,
  { kept, histogram: count }: LossySource,
  { image, loss }: JudgedImage,
) {
  const histogram = count();
  const most = histogram.isMerged ? REFINABLE_LOSS : REFINABLE_DRAWING_LOSS;
  if (loss > most || isLate(work)) return [];
  return STARTS.map((byCap) => {
    const colours = refinePalette(image.palette, weigh(histogram, byCap), kept);
    return drawColours(colours, histogram.ids, image);
  });
}
