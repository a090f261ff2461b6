/** Refines the colours of a palette that fails narrowly, and dithers smooth areas in steps: other codings cost more. */
import type { Verdict } from '../../domain/fidelity-guard';
import { withDitheredAreas } from '../../domain/palette/dithered-areas';
import { colourCount, MAX_COLOURS, type IndexedImage } from '../../domain/palette/indexed-image';
import { drawColours, weigh } from '../../domain/palette/colour-histogram';
import { refinePalette } from '../../domain/palette/refined-palette';
import { smallerPacking } from './png-codings';
import { TYPICAL } from './png-quantiser';
import type { LossySource, PngWork } from './png-work';

const REFINABLE_LOSS = 1.5;
/** With as few colours as gradients have, a refined palette loses less than half; but rings remain that only dithering hides. */
const REFINABLE_DRAWING_LOSS = 3;
/** Some images fail by contours, others by their edges. */
const EVEN = [1, 1, 1, 1];
const STARTS = [[1, 8, 4, 2], TYPICAL, EVEN];
/** Strengths of dithering, tried in turn while none passes. */
const DITHERS = [0.5, 0.75];
/** Other starts and strengths differ little: of 41 photos that dithering may save, none passed after more than 1.02. */
const HOPELESS_DITHERED_LOSS = 1.05;

export interface JudgedImage extends Verdict {
  readonly image: IndexedImage;
}

export class Refinement {
  constructor(
    private readonly work: PngWork,
    private readonly source: LossySource,
    private readonly judge: (candidate: IndexedImage) => JudgedImage,
  ) {}

  /** Returns the image with better colours if it is smaller then; a quantiser leaves much to improve where colours run out. */
  whereFull(passing: JudgedImage): JudgedImage {
    const tried = colourCount(passing.image) < MAX_COLOURS ? undefined : this.starts(passing, [EVEN]).at(0);
    if (!tried?.passes) return passing;
    const [before, after] = [passing, tried].map(({ image }) => smallerPacking(image).estimate);
    return after < before ? tried : passing;
  }

  /** Returns the smallest image that passes; undefined if none does. */
  thoroughly(failed: JudgedImage): JudgedImage | undefined {
    const starts = this.starts(failed, STARTS);
    const passing = starts
      .filter(({ passes }) => passes && failed.loss <= REFINABLE_LOSS)
      .map((judged) => ({ judged, estimate: smallerPacking(judged.image).estimate }));
    if (passing.length > 0) return passing.sort((a, b) => a.estimate - b.estimate)[0].judged;
    const { pixels, kept } = this.source;
    const areas = this.source.areas();
    for (const strength of DITHERS) {
      for (const { image } of starts) {
        if (this.work.isLate()) return undefined;
        const dithered = this.judge(withDitheredAreas(image, pixels, { kept, areas, strength }));
        if (dithered.passes) return dithered;
        if (dithered.loss > HOPELESS_DITHERED_LOSS) return undefined;
      }
    }
    return undefined;
  }

  private starts({ image, loss }: JudgedImage, weights: readonly (readonly number[])[]): JudgedImage[] {
    const histogram = loss > REFINABLE_DRAWING_LOSS ? undefined : this.source.histogram();
    if (!histogram || (loss > REFINABLE_LOSS && histogram.isMerged) || this.work.isLate()) return [];
    const { kept } = this.source;
    return weights
      .map((byCap) => refinePalette(image.palette, weigh(histogram, byCap), kept))
      .map((colours) => this.judge(drawColours(colours, histogram.ids, image)))
      .sort((a, b) => a.loss - b.loss);
  }
}
