/**
 * Compresses a JPEG to a smaller one that looks the same, in stages:
 *
 * recognise   return a result of this service unchanged, without decoding
 * prepare     decode, upright and scaled
 * allowance   estimate the earlier loss and what this pass may lose
 * search      find the lowest quality that passes; try a former coding and a lossless rewrite
 * choose      take the smallest candidate that saves enough, or the upload
 *
 * CMYK is converted only if the image has to be scaled; otherwise it is rewritten losslessly.
 */
import { sameSize } from '../domain/dimensions';
import { keptCompanions } from '../domain/companion-rule';
import type { CompressionPolicy } from '../domain/compression-policy';
import { chooseSmallest } from '../domain/skip-rule';
import { readResultMarker } from '../formats/jpeg/result-marker';
import type { JpegCodec } from './codecs.port';
import { allowanceFor } from './jpeg-allowance';
import { rewriteLosslessly } from './jpeg-rewrite';
import { restoreFormerCoding, JpegVerifier, searchLossy } from './jpeg-search';
import { decodeUpload, targetSize, type JpegSource } from './jpeg-source';
import type { Candidate, Outcome } from './outcome';
import type { Stopwatch } from './stopwatch';

export async function compressJpeg(
  upload: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  const { skipReason, companions, removed } = keptCompanions(
    upload.structure.companions,
    policy.keepCompanions,
  );
  if (skipReason) return { skipReason };
  const source = { ...upload, structure: { ...upload.structure, companions } };
  const mustScale = !sameSize(targetSize(source, policy), source.dimensions);
  if (!mustScale && removed.length === 0 && isEarlierResult(source, policy)) {
    return { skipReason: 'already-optimised' };
  }

  const candidates: Candidate[] = [];
  const isCmyk = source.structure.components.length === 4;
  if (!isCmyk || mustScale) candidates.push(...(await lossyCandidates(source, codec, policy, stopwatch)));
  const choose = (mustChange: boolean) =>
    chooseSmallest(source.bytes.length, candidates, { ...policy, mustChange });
  if (!mustScale && !choose(false)) {
    const lossless = await rewriteLosslessly(source, codec, policy, stopwatch);
    if (lossless) candidates.push(lossless);
  }
  const chosen = choose(mustScale);
  return chosen ? { ...chosen, removed } : { skipReason: 'already-optimised' };
}

/**
 * Returns whether this service made the upload for this target or a lower one; encoding it again would only lose more.
 */
function isEarlierResult({ bytes, structure }: JpegSource, { targetScore }: CompressionPolicy): boolean {
  const target = readResultMarker(bytes.subarray(0, structure.end));
  return target !== undefined && target <= targetScore;
}

async function lossyCandidates(
  source: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Candidate[]> {
  const image = await decodeUpload(source, codec, policy, stopwatch);
  const allowance = await allowanceFor(source, image, codec, policy, stopwatch);
  const verifier = new JpegVerifier(source, image, codec, stopwatch);
  const searched = await searchLossy(source, image, allowance, verifier, codec, policy, stopwatch);
  const former = await restoreFormerCoding(image, allowance, verifier, codec, policy, stopwatch);
  return [searched, former].filter((candidate) => candidate !== undefined);
}
