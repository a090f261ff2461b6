/** Compresses a PNG with invisible loss, as a palette image or near-lossless: the smaller draft that is verified. */
import { findKeptColours, withFixed } from '../../domain/kept-colours';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { countColours } from '../../domain/palette/colour-histogram';
import { toRgba, type IndexedImage } from '../../domain/palette/indexed-image';
import { findSmoothAreas } from '../../domain/smooth-areas';
import { maxDifference, withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { mayBeGrey } from '../../formats/png/png-colour';
import { isGreyFile } from '../../formats/png/png-structure';
import type { Candidate } from '../outcome';
import type { PngDraft, LossySource, PngWork } from './png-work';
import { meanwhile, once } from '../work';
import { losslessBytesPerSample, smallerPacking } from './png-codings';
import { COMPARED_PIXELS, encodeNearLossless, rankCodings } from './png-near-lossless';
import { encodeWithPalette } from './png-palette';
import { createQuantiser } from './png-quantiser';

/** In pixels. */
const RANKED_SHARE = 8;
const MIN_RANKED_PIXELS = 65_536;
const MAX_RANKED_PIXELS = 500_000;
/** A near-lossless draft is skipped if it seems larger than the palette draft by more than this factor. */
const NEAR_LOSSLESS_MARGIN = 1.2;
/** No near-lossless estimate is below this share of a lossless one: the least of 41 graphics and photos is 0.44. */
const LEAST_NEAR_LOSSLESS = 0.4;
/** If the estimates of two drafts differ by less than this, both are compressed: estimates are not more accurate. */
const CLOSE = 0.1;
/** Drafts below these shares of the lossless size are certainly smaller. Gradients without grain deflate better than estimated. */
const CLEARLY_SMALLER = { palette: 0.85, near: 0.7 };

export interface LossyResult {
  readonly candidates: Candidate[];
  /** Whether no lossless file can be smaller. */
  readonly beatsLossless: boolean;
}

/** The result for single pixels competes where it passes at a higher density, so that one never costs bytes. */
export async function compressLossily(
  work: PngWork,
  pixels: Pixels,
  exact: IndexedImage | undefined,
): Promise<LossyResult> {
  const found = await compressAsSeen(work, pixels, exact);
  if (work.density === 1 || work.isLate()) return found;
  const single = await compressAsSeen(work.atFullSize(), pixels, exact);
  const smaller = single.candidates.filter(({ bytes }) =>
    found.candidates.every((other) => bytes.length < other.bytes.length),
  );
  const passing: Candidate[] = [];
  for (const candidate of smaller) {
    const guard = work.createGuard(pixels);
    const score = guard.score(await work.codec.decode(candidate.bytes));
    if (score >= work.policy.targetScore) passing.push({ ...candidate, score });
  }
  return {
    candidates: [...found.candidates, ...passing],
    beatsLossless: found.beatsLossless || (passing.length > 0 && single.beatsLossless),
  };
}

async function compressAsSeen(
  work: PngWork,
  pixels: Pixels,
  exact: IndexedImage | undefined,
): Promise<LossyResult> {
  const { structure } = work.source;
  // An RGB profile is invalid in a grey file.
  const isGreyPossible = isGreyFile(structure) || mayBeGrey(structure.colourChunks);
  const compact = withoutRedundantChannels(pixels, isGreyPossible);
  const { drafts, source, lossless } = await makeDrafts(work, { pixels, compact }, exact);
  const passing = drafts.sort((a, b) => a.estimate - b.estimate);
  const candidates: Candidate[] = [];
  for (const draft of passing.filter(({ estimate }) => estimate <= passing[0].estimate * (1 + CLOSE))) {
    if (candidates.length > 0 && work.isLate()) break;
    const candidate = await packed(work, source, draft);
    if (candidate) candidates.push(candidate);
  }
  return {
    candidates,
    beatsLossless: candidates.length > 0 && isClearlySmaller(passing[0], lossless, compact),
  };
}

async function makeDrafts(
  work: PngWork,
  { pixels, compact }: Pick<LossySource, 'pixels' | 'compact'>,
  exact: IndexedImage | undefined,
): Promise<{ readonly drafts: PngDraft[]; readonly source: LossySource; readonly lossless: number }> {
  const { policy, size, stopwatch } = work;
  const ranked = Math.min(MAX_RANKED_PIXELS, (size.width * size.height) / RANKED_SHARE);
  const partPixels = Math.max(MIN_RANKED_PIXELS, ranked);
  const part = sampleBands(compact, partPixels);
  const { fit } = policy;
  const mayBeNear = !exact || compact.channels < 3;
  const source = stopwatch.measure('search', () => {
    const kept = findKeptColours(pixels);
    const areas = once(() => findSmoothAreas(pixels));
    const histogram = once(() => countColours(pixels, areas, kept));
    return { pixels, compact, kept, areas, histogram, guard: work.createGuard(pixels) };
  });
  const quantiser = await stopwatch.time('search', () => createQuantiser(work, source, part, partPixels));
  const palette = quantiser && encodeWithPalette(work, source, quantiser, part);
  // Within a byte limit, a palette is smaller.
  const isRanked = mayBeNear && !(fit && palette);
  const codings = isRanked
    ? rankCodings(withFixed(sampleBands(part, COMPARED_PIXELS), source.kept))
    : undefined;
  const most = ((palette?.estimate ?? Infinity) * NEAR_LOSSLESS_MARGIN) / compact.data.length;
  const isHopeless = !codings || codings.lossless * LEAST_NEAR_LOSSLESS >= most;
  const prospects = isHopeless ? [] : stopwatch.measure('search', () => codings.prospects());
  const mayWin = prospects.some(({ bytesPerSample }) => bytesPerSample < most) && !work.isLate();
  const near = mayWin ? await encodeNearLossless(work, source, prospects) : undefined;
  const drafts = [palette, near].filter((draft) => draft !== undefined);
  const lossless = exact
    ? smallerPacking(exact).estimate / compact.data.length
    : fit && palette
      ? Infinity
      : (codings?.lossless ?? 0);
  return { drafts, source, lossless };
}

function isClearlySmaller({ estimate, part }: PngDraft, lossless: number, image: Pixels): boolean {
  const share = CLEARLY_SMALLER[part ? 'near' : 'palette'];
  const beats = (bytesPerSample: number) => estimate < bytesPerSample * image.data.length * share;
  return beats(lossless) || (part !== undefined && beats(losslessBytesPerSample(part)));
}

/** Compresses the draft, then decodes and checks it, because codecs may have bugs. */
async function packed(
  work: PngWork,
  { pixels }: LossySource,
  draft: PngDraft,
): Promise<Candidate | undefined> {
  const { size, codec, stopwatch } = work;
  const { score, errorBound } = draft;
  const effort = work.isLate() ? 'fast' : work.policy.effort;
  const tight = await stopwatch.time('encode', () => draft.pack(effort));
  return stopwatch.time('verify', async () => {
    const bytes = work.withColours(tight);
    const drawn = () => draft.image && toRgba(draft.image);
    const [delivered, indexed] = await meanwhile(codec.decode(bytes), drawn);
    const candidate = { bytes, score, dimensions: size };
    if (indexed) return maxDifference(indexed, delivered) === 0 ? candidate : undefined;
    const maxError = maxDifference(pixels, delivered);
    return maxError <= (errorBound ?? 0) ? { ...candidate, maxError } : undefined;
  });
}
