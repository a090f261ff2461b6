/**
 * What a PNG may become where it may lose something that nobody sees: the palette and the near-lossless rung, of which
 * a part of the image tells what is worth a try. The smaller one is packed, decoded, and checked once more.
 */
import { FidelityGuard } from '../domain/fidelity-guard';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import { maxDifference, withoutRedundantChannels, type Pixels } from '../domain/pixels';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';
import { withColourChunks } from '../formats/png/png-metadata';
import type { PngStructure } from '../formats/png/png-structure';
import type { PngCodec } from './codecs.port';
import type { Candidate } from './outcome';
import type { PngDraft, LossySource } from './png-draft';
import { encodeNearLossless, rankCodings } from './png-near-lossless';
import { encodeWithPalette, suitablePaletteQualities } from './png-palette';
import type { Stopwatch } from './stopwatch';

/** A PNG on its way through the recipe, and the tools. */
export interface PngWork {
  /** The file, upright, at the size to deliver, without metadata. */
  readonly plain: Uint8Array;
  readonly structure: PngStructure;
  readonly size: Dimensions;
  readonly codec: PngCodec;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
}

/** A part of the image tells which rungs are worth a try: an eighth, and no more than so many pixels. */
const RANKED_SHARE = 8;
const MAX_RANKED_PIXELS = 1_000_000;
/** Pixels of that part on which near-lossless codings are compared. */
const MAX_COMPARED_PIXELS = 250_000;
/** A near-lossless image that seems larger than the palette image by more than this is not looked for. */
const HOPEFUL = 1.2;
/** Drafts whose estimates differ by less than this are both packed: estimates err by as much. */
const CLOSE = 0.1;
/** A draft that seems smaller than a lossless file by so much is smaller. */
const CLEARLY_SMALLER = 0.92;

export interface LossyResult {
  /** Each passes the guard. */
  readonly candidates: Candidate[];
  /** Whether a lossless file cannot be smaller. */
  readonly beatsLossless: boolean;
}

/** @param mayBeNear false where the image has few colours, chosen on purpose */
export async function compressLossily(
  work: PngWork,
  pixels: Pixels,
  mayBeNear: boolean,
): Promise<LossyResult> {
  const { plain, structure, size, codec, policy, stopwatch } = work;
  // A profile of RGB is void beside grey samples.
  const mayBeGrey = isGreyFile(structure) || structure.colourChunks.length === 0;
  const compact = withoutRedundantChannels(pixels, mayBeGrey);
  const guard = await stopwatch.time('verify', () => new FidelityGuard(pixels, policy.targetScore));
  const source: LossySource = { plain, pixels, compact, guard };
  const isGrey = compact.channels < 3;
  const part = sampleBands(compact, Math.min(MAX_RANKED_PIXELS, (size.width * size.height) / RANKED_SHARE));
  const { prospects, lossless } = await stopwatch.time('search', () =>
    rankCodings(sampleBands(part, MAX_COMPARED_PIXELS)),
  );

  const drafts: (PngDraft | undefined)[] = [];
  // 256 shades of grey are what a grey image has already.
  const paletteQualities =
    compact.channels > 1
      ? await stopwatch.time('search', () => suitablePaletteQualities(part, codec, policy))
      : [];
  drafts.push(await encodeWithPalette(paletteQualities, source, codec, policy, stopwatch));
  const hopes = policy.pngMode === 'auto' && (mayBeNear || isGrey) ? prospects : [];
  const most = ((drafts[0]?.estimate ?? Infinity) * HOPEFUL) / compact.data.length;
  if (hopes.some(({ density }) => density < most))
    drafts.push(await encodeNearLossless(hopes, source, codec, policy, stopwatch));

  const passing = drafts.filter((draft) => draft !== undefined);
  const least = Math.min(...passing.map(({ estimate }) => estimate));
  const candidates: Candidate[] = [];
  for (const draft of passing.filter(({ estimate }) => estimate <= least * (1 + CLOSE))) {
    const candidate = await packed(draft, source, work);
    if (candidate) candidates.push(candidate);
  }
  const beatsLossless = least < lossless * compact.data.length * CLEARLY_SMALLER;
  return { candidates, beatsLossless: candidates.length > 0 && beatsLossless };
}

function isGreyFile({ colourType }: PngStructure): boolean {
  return colourType === 0 || colourType === 4;
}

/** What is delivered is decoded and checked again: codecs have faults, and a promise has none. */
async function packed(
  draft: PngDraft,
  { pixels }: LossySource,
  { structure, size, codec, stopwatch }: PngWork,
): Promise<Candidate | undefined> {
  const { score, errorBound } = draft;
  const tight = await stopwatch.time('encode', () => draft.pack());
  return stopwatch.time('verify', async () => {
    const bytes = withColourChunks(tight, structure.colourChunks);
    const delivered = await codec.decode(bytes);
    const candidate = { bytes, score, dimensions: size };
    if (draft.delivered) return maxDifference(draft.delivered, delivered) === 0 ? candidate : undefined;
    const maxError = maxDifference(pixels, delivered);
    return maxError <= (errorBound ?? 0) ? { ...candidate, maxError } : undefined;
  });
}
