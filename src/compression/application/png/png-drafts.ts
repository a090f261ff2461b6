/** The drafts of a PNG with invisible loss: a palette image and near-lossless truecolour, in pixels that have passed the guard. */
import { findKeptColours, withFixed } from '../../domain/kept-colours';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { once } from '../../domain/once';
import { countColours } from '../../domain/palette/colour-histogram';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { findSmoothAreas } from '../../domain/smooth-areas';
import { mayBeGrey } from '../../formats/png/png-colour';
import { isGreyFile } from '../../formats/png/png-structure';
import { isLate } from '../context';
import { losslessBytesPerSample, smallerPacking } from './png-codings';
import { createGuard, type LossySource, type PngDraft, type PngImage } from './png-image';
import { COMPARED_PIXELS, encodeNearLossless, rankCodings, type Ranking } from './png-near-lossless';
import { encodeWithPalette } from './png-palette';
import { createQuantiser } from './png-quantiser';

/** In pixels. */
const RANKED_SHARE = 8;
const MIN_RANKED_PIXELS = 65_536;
const MAX_RANKED_PIXELS = 500_000;
/** A near-lossless draft is skipped if it seems larger than the palette draft by more than this factor. */
const NEAR_LOSSLESS_MARGIN = 1.2;
/** At looser limits, the first estimate is too high by this power of their scale: see the ladder of near-lossless-rows.ts. */
const FALL = 0.32;
/** No near-lossless estimate is below this share of a lossless one: the least of 41 graphics and photos is 0.44. */
const LEAST_NEAR_LOSSLESS = 0.4;
/** If the estimates of two drafts differ by less than this, both are compressed: estimates are not more accurate. */
const CLOSE = 0.1;
/** Drafts below these shares of the lossless size are certainly smaller. Gradients without grain deflate better than estimated. */
const CLEARLY_SMALLER = { palette: 0.85, near: 0.7 };
/** Estimated bytes per sample of a lossless file. Below, the estimate is too high: gradients took a third of it, less than near-lossless. */
const LEAST_GRAIN = 0.1;

export interface Drafts {
  /** Those that may be the smallest, by their estimates. */
  readonly drafts: readonly PngDraft[];
  /** Whether no lossless file can be smaller. */
  readonly beatLossless: boolean;
}

/** @param exact the pixels as a palette image, if they have at most 256 colours */
export async function makeDrafts(
  image: PngImage,
  pixels: Pixels,
  exact: IndexedImage | undefined,
): Promise<Drafts> {
  const { structure } = image.source;
  const { size, stopwatch } = image;
  // An RGB profile is invalid in a grey file.
  const isGreyPossible = isGreyFile(structure) || mayBeGrey(structure.colourChunks);
  const compact = withoutRedundantChannels(pixels, isGreyPossible);
  const ranked = Math.min(MAX_RANKED_PIXELS, (size.width * size.height) / RANKED_SHARE);
  const partPixels = Math.max(MIN_RANKED_PIXELS, ranked);
  const part = sampleBands(compact, partPixels);
  const source = stopwatch.measure('search', (): LossySource => {
    const kept = findKeptColours(pixels);
    const areas = once(() => findSmoothAreas(pixels));
    const histogram = once(() => countColours(pixels, areas, kept));
    return { pixels, compact, kept, areas, histogram, guard: createGuard(image, pixels) };
  });
  const quantiser = await stopwatch.time('search', () => createQuantiser(image, source, part, partPixels));
  const palette = quantiser && encodeWithPalette(image, source, quantiser, part);
  const ranking =
    !exact || compact.channels < 3
      ? rankCodings(withFixed(sampleBands(part, COMPARED_PIXELS), source.kept))
      : undefined;
  const near = ranking && (await nearLosslessDraft(image, source, ranking, palette));
  const lossless = exact
    ? smallerPacking(exact).estimate / compact.data.length
    : (ranking?.lossless ?? Infinity);
  const found = [palette, near].filter((draft) => draft !== undefined);
  if (found.length === 0) return { drafts: found, beatLossless: false };
  const [first, ...others] = found.sort((a, b) => a.estimate - b.estimate);
  const close = others.filter(({ estimate }) => estimate <= first.estimate * (1 + CLOSE));
  return { drafts: [first, ...close], beatLossless: isClearlySmaller(first, lossless, compact) };
}

/** Returns undefined if it cannot be smaller than the palette, or none passes. */
async function nearLosslessDraft(
  image: PngImage,
  source: LossySource,
  ranking: Ranking,
  palette: PngDraft | undefined,
) {
  const margin = NEAR_LOSSLESS_MARGIN * source.guard.scale ** FALL;
  const most = ((palette?.estimate ?? Infinity) * margin) / source.compact.data.length;
  if (ranking.lossless * LEAST_NEAR_LOSSLESS >= most) return undefined;
  const prospects = image.stopwatch.measure('search', () => ranking.prospects());
  const mayWin = prospects.some(({ bytesPerSample }) => bytesPerSample < most) && !isLate(image);
  return mayWin ? encodeNearLossless(image, source, prospects) : undefined;
}

/** @param lossless estimated bytes per sample of a lossless file */
function isClearlySmaller({ estimate, part }: PngDraft, lossless: number, image: Pixels) {
  const share = CLEARLY_SMALLER[part ? 'near' : 'palette'];
  if (part && lossless < LEAST_GRAIN) return false;
  const beats = (bytesPerSample: number) => estimate < bytesPerSample * image.data.length * share;
  return beats(lossless) || (part !== undefined && beats(losslessBytesPerSample(part)));
}
