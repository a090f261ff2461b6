/**
 * Compresses a JPEG to a smaller one that looks the same:
 * recognise   return a result of this service unchanged, without decoding
 * decode      upright and scaled
 * allow       estimate the earlier loss and how much this encode may lose
 * candidates  the lowest quality that passes, a former coding, a lossless rewrite
 * choose      take the smallest candidate that saves enough, or the upload
 * CMYK, lookup tables and curves far from sRGB are converted only if the image has to be scaled.
 */
import type { RemovedData } from '../../../contract/report-words';
import { chooseSmallest, isLossless } from '../../domain/compression-policy';
import { fitWithin, sameSize } from '../../domain/dimensions';
import { isMadeFor } from '../../domain/score/as-seen';
import type { JpegSource } from '../../formats/image-header';
import { readResultMarker } from '../../formats/jpeg/result-marker';
import type { Candidate, Outcome, Unchanged } from '../outcome';
import type { Work } from '../work';
import { engineTables } from './jpeg-allowance';
import { SearchedJpeg, type JpegSearch } from './jpeg-search';
import { decodeUpload } from './jpeg-work';
import { searchInTurn } from '../results/lossy-attempt';
import { MOZJPEG_TABLES, nearestQuality, STANDARD_TABLES } from '../../domain/history/quantization-tables';
import { copyMetadata, withoutForeignMetadata } from '../../formats/jpeg/jpeg-metadata';
import { isChromaHalved, type JpegStructure } from '../../formats/jpeg/jpeg-structure';
import type { JpegCodec } from '../codecs.port';
import { removedTrailingData } from '../../formats/jpeg/trailing-data';

/** If the prediction exceeds the smallest file so far by more than this factor, no full encode is made. Predictions are accurate to 15%. */
const HOPELESS_SIZE = 1.2;

/** Drops the trailing data that a new file cannot keep, and names them. A crop loses the gain map. */
function withKeptTrailingData({ source, policy }: Work<JpegSource>): KeptSource {
  const { dimensions } = source;
  const isCropped = policy.box?.crop !== undefined && !sameSize(dimensions, fitWithin(dimensions, policy));
  return isCropped
    ? withoutGainMap(source)
    : { source, removed: removedTrailingData(source.structure.trailing, true) };
}

export function withoutGainMap(source: JpegSource): KeptSource {
  const { structure } = source;
  const trailing = { ...structure.trailing, gainMap: undefined };
  const removed = removedTrailingData(structure.trailing, false);
  return { source: { ...source, structure: { ...structure, trailing } }, removed };
}

interface KeptSource {
  readonly source: JpegSource;
  readonly removed: readonly RemovedData[];
}

export async function compressJpeg(upload: Work<JpegSource>): Promise<Outcome> {
  const { source, removed } = withKeptTrailingData(upload);
  return (await chooseCandidate(new SearchedJpeg({ ...upload, source }), removed)) ?? unchangedJpeg(upload);
}

export async function compressOpenedJpeg(work: SearchedJpeg): Promise<Outcome> {
  return (await chooseCandidate(work, [])) ?? unchangedJpeg(work);
}

/** Returns the new file, without the data after the image that are `removed`; undefined if it gains nothing. */
async function chooseCandidate(
  work: SearchedJpeg,
  removed: readonly RemovedData[],
): Promise<Candidate | undefined> {
  const mustChange = work.isScaled || removed.length > 0;
  if (!mustChange && isEarlierResult(work)) return undefined;

  const isRewrittenOnly = isLossless(work.policy) || (work.isConverted && !work.isScaled);
  const candidates = isRewrittenOnly ? [] : await lossyCandidates(work);
  const choose = () =>
    chooseSmallest(work.source.bytes.length, candidates, { ...work.policy, mustChange: work.isScaled });
  if (!choose()) {
    const lossless = await rewriteLosslessly(work);
    if (lossless) candidates.push(lossless);
  }
  const chosen = choose();
  return chosen && { ...chosen, removed };
}

function isEarlierResult({ source, policy, density }: SearchedJpeg): boolean {
  const { bytes, structure } = source;
  const made = readResultMarker(bytes.subarray(0, structure.end), structure.segments);
  return made !== undefined && made.targetScore <= policy.targetScore && isMadeFor(made.density, density);
}

async function lossyCandidates(work: SearchedJpeg): Promise<Candidate[]> {
  const { loss, former } = await work.allowance();
  const search = await work.search();
  const searched = loss > 0 ? await lowestQuality(work, search) : undefined;
  const largest = HOPELESS_SIZE * (searched ?? work.source).bytes.length;
  const restored = former && former.bytes <= largest ? await search.restore(former.coding) : undefined;
  const passes = restored && restored.score >= work.policy.targetScore;
  return [...(searched ? [searched] : []), ...(passes ? [restored] : [])];
}

/** Returns the smallest result that passes, or the best if the image must be scaled; undefined if none saves enough. */
async function lowestQuality(work: SearchedJpeg, search: JpegSearch): Promise<Candidate | undefined> {
  const { attempt, bytes } = await search.predict();
  if (!work.isScaled && bytes > work.source.bytes.length * HOPELESS_SIZE) return undefined;
  // If 4:2:0 passes at no quality, 4:4:4 may.
  const best = await searchInTurn([attempt, ...search.attempts.filter((other) => other !== attempt)]);
  return work.isScaled || attempt.passes(best) ? best.candidate : undefined;
}

/** Returns the same pixels in fewer bytes; undefined if the codec cannot do it. */
async function rewriteLosslessly(work: SearchedJpeg): Promise<Candidate | undefined> {
  const { codec, policy, stopwatch } = work;
  const { bytes, structure, dimensions } = work.source;
  // Decoding refuses a damaged source, even if no lossy search has decoded it.
  const before = await stopwatch.time('verify', () => decodeUpload(codec, work.source, { orientation: 1 }));
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { orientation, storedSize } = structure;
  const { keepMetadata: keep, targetScore } = policy;
  const delivered = copyMetadata(structure, recoded, {
    keep,
    orientation,
    dimensions: storedSize,
    targetScore,
    density: work.density,
  });
  const after = await stopwatch.time('verify', () =>
    codec.decode(delivered, { header: structure, orientation: 1 }),
  );
  if (Buffer.compare(before.data, after.data) !== 0) return undefined;
  return { bytes: delivered, quality: storedQuality(structure, codec), score: 1, dimensions };
}

export function storedQuality(structure: JpegStructure, codec: JpegCodec): number {
  const { lumaSteps } = structure;
  if (!lumaSteps) return 100;
  const engine = engineTables(codec, isChromaHalved(structure) ? '4:2:0' : '4:4:4');
  return nearestQuality(lumaSteps, [STANDARD_TABLES, MOZJPEG_TABLES, engine]).quality;
}

/** Returns the upload, or a copy without the metadata that the policy does not keep. Its coded data stay unchanged. */
function unchangedJpeg({ source: { bytes, structure }, policy }: Work<JpegSource>): Unchanged {
  const { keepMetadata: keep } = policy;
  const skipReason = 'already-optimised';
  const copy = keep === 'all' ? undefined : withoutForeignMetadata(bytes, structure, keep);
  return copy
    ? { skipReason, bytes: copy, removed: removedTrailingData(structure.trailing, true) }
    : { skipReason, bytes };
}
