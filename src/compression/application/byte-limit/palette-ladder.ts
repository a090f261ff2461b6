/**
 * Palettes of one image in rising quality. A part of the image predicts sizes and losses. A palette of the whole image is compressed,
 * decoded and judged before delivery, by a guard whose limits grow with the allowed loss.
 */
import type { Effort } from '../../domain/compression-policy';
import { FidelityGuard } from '../../domain/fidelity-guard';
import { findKeptColours, type KeptColours } from '../../domain/kept-colours';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { withExactColours } from '../../domain/palette/exact-colours';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { withRareColours } from '../../domain/palette/rare-colours';
import { withRepeatedMatches } from '../../domain/palette/repeat-matches';
import type { Pixels } from '../../domain/pixels';
import type { Candidate } from '../outcome';
import { packIndexed } from '../png/png-codings';
import type { PngWork } from '../png/png-work';
import { meanwhile } from '../work';

/** Values for PngCodec.quantise, coarsest first: from about ten colours to 256. */
const PALETTE_QUALITIES = [1, 3, 5, 8, 12, 20, 30, 40, 55, 70, 85, 100];
/** How strongly indices repeat: see repeat-matches.ts. */
const STRENGTH = 10;
/** Size of the part that predictions are made from, in pixels. */
const PART_PIXELS = 150_000;
/** Several palettes are made; with effort `balanced` each would take three times as long and save a tenth of the bytes. */
const EFFORT: Effort = 'fast';

interface Prediction {
  readonly bytes: number;
  readonly score: number;
  readonly isAcceptable: boolean;
}

interface Coded extends Candidate {
  readonly isAcceptable: boolean;
}

export class PaletteLadder {
  readonly highest = PALETTE_QUALITIES.length - 1;
  private readonly part: Pixels;
  private partGuard: FidelityGuard | undefined;
  private guard: FidelityGuard | undefined;
  private readonly predictions = new Map<number, Promise<Prediction | undefined>>();
  private readonly results = new Map<number, Promise<Coded>>();
  private readonly kept: KeptColours;

  /**
   * @param pixels of the work
   * @param floor lowest score of a result
   */
  constructor(
    private readonly work: PngWork,
    private readonly pixels: Pixels,
    private readonly floor: number,
  ) {
    this.part = sampleBands(pixels, PART_PIXELS);
    this.kept = findKeptColours(pixels);
  }

  /**
   * Returns the lowest step that seems acceptable. The whole image may need a higher one, because a part needs fewer colours.
   * Returns undefined if no step is acceptable, or if the codec has no quantiser.
   * @param expected the lowest step of the same image at other dimensions
   */
  lowestAcceptable(expected?: number): Promise<number | undefined> {
    return this.lowestOf(
      (step) => this.predict(step).then((tried) => tried?.isAcceptable === true),
      expected,
    );
  }

  /** Predicts the size of the smallest palette image with a score; undefined if there seems to be none. */
  async predictedBytesFor(score: number): Promise<number | undefined> {
    const lowest = await this.lowestOf(async (step) => ((await this.predict(step))?.score ?? -1) >= score);
    return lowest === undefined ? undefined : this.predictedBytes(lowest);
  }

  private async lowestOf(
    isAcceptable: (step: number) => Promise<boolean>,
    expected?: number,
  ): Promise<number | undefined> {
    let [fails, accepted] = [-1, this.highest + 1];
    for (const step of expected === undefined ? [] : [expected, expected - 1, expected + 1]) {
      if (step <= fails || step >= accepted) continue;
      if (await isAcceptable(step)) accepted = step;
      else fails = step;
    }
    if (accepted > this.highest && !(await isAcceptable(this.highest))) return undefined;
    accepted = Math.min(accepted, this.highest);
    while (accepted - fails > 1) {
      const middle = (fails + accepted) >> 1;
      if (await isAcceptable(middle)) accepted = middle;
      else fails = middle;
    }
    return accepted;
  }

  /** Predicts the size of the whole image. */
  async predictedBytes(step: number): Promise<number> {
    return (await this.predict(step))?.bytes ?? Infinity;
  }

  /** Returns the file of a step, and the loss of its decoded pixels. */
  encode(step: number): Promise<Coded> {
    const known = this.results.get(step) ?? this.coded(step);
    this.results.set(step, known);
    return known;
  }

  /** Returns the file of the lowest acceptable step; undefined if there is none. */
  async coarsestAcceptable(expected?: number): Promise<Candidate | undefined> {
    const lowest = await this.lowestAcceptable(expected);
    if (lowest === undefined) return undefined;
    for (let step = lowest; step <= this.highest; step++) {
      const candidate = await this.encode(step);
      if (candidate.isAcceptable) return candidate;
    }
    return undefined;
  }

  private predict(step: number): Promise<Prediction | undefined> {
    const known = this.predictions.get(step) ?? this.work.stopwatch.time('search', () => this.tryPart(step));
    this.predictions.set(step, known);
    return known;
  }

  private async tryPart(step: number): Promise<Prediction | undefined> {
    const { part, pixels } = this;
    const { codec } = this.work;
    const exact = await codec.quantise(part, PALETTE_QUALITIES[step], EFFORT);
    if (!exact) return undefined;
    const image = this.repeated(part, exact);
    const guard = (this.partGuard ??= this.guardOf(part));
    const share = (pixels.width * pixels.height) / (part.width * part.height);
    const bytes = (await packIndexed(image, codec, EFFORT)).length;
    const { score, passes } = guard.judge(image);
    return { bytes: bytes * share, score, isAcceptable: passes };
  }

  private async coded(step: number): Promise<Coded> {
    const { work, pixels } = this;
    const { codec, stopwatch, size } = work;
    const packed = await stopwatch.time('encode', async () => {
      const image = await codec.quantise(pixels, PALETTE_QUALITIES[step], EFFORT);
      if (!image) throw new Error('A codec without a quantiser has no palettes');
      return codec.optimise(await packIndexed(this.repeated(pixels, image), codec, EFFORT), EFFORT);
    });
    return stopwatch.time('verify', async () => {
      const bytes = work.withMetadata(work.withColours(packed), true);
      const prepare = () => (this.guard ??= this.guardOf(pixels));
      const [decoded, guard] = await meanwhile(codec.decode(bytes), prepare);
      const { score, passes } = guard.judge(decoded);
      return { bytes, score, isAcceptable: passes, dimensions: size, ...work.removals };
    });
  }

  private guardOf(pixels: Pixels): FidelityGuard {
    return new FidelityGuard(pixels, this.floor, {
      whole: this.pixels,
      density: this.work.density,
      allowedLoss: 1 - this.floor,
    });
  }

  private repeated(pixels: Pixels, image: IndexedImage): IndexedImage {
    const exact = withRareColours(withExactColours(image, pixels, this.kept), pixels, this.kept);
    return withRepeatedMatches(pixels, exact, STRENGTH, this.kept.exact);
  }
}
