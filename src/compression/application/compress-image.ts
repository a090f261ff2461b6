import { chooseSmallest, type CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';
import { formatBySignature } from '../../contract/formats';
import { judgedDensity } from '../domain/score/as-seen';
import { isResultMarker } from '../formats/jpeg/result-marker';
import { withoutSegments } from '../formats/jpeg/segment-writer';
import { pngOfChunks, readChunks } from '../formats/png/png-chunks';
import { RESULT_CHUNK } from '../formats/png/png-result-marker';
import { compressFixed, fitWithinLimit } from './byte-limit/fit-within-limit';
import type { CodecEngine } from './codecs.port';
import type { Outcome } from './outcome';
import { otherFormats, Stopwatch, type Work } from './work';
import { compressToSmallest } from './results/choose-format';
import { openUpload } from './uploads/open-upload';
import { UPLOADS } from './uploads/uploads';

/** @throws ImageRefused when the file cannot be accepted, or cannot fit into the policy's byte limit */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
): Promise<CompressedImage> {
  return compressSource(await openUpload(bytes, { engine, policy, stopwatch: new Stopwatch() }));
}

async function compress(work: Work): Promise<Outcome> {
  const outcome = await search(work);
  if (!work.timeLimit?.wasReached) return outcome;
  // Sent again, a partial result may get smaller, but loses nothing more.
  const bytes = 'skipReason' in outcome ? outcome.bytes : withoutResultMarker(outcome.bytes);
  return { ...outcome, bytes, partial: 'deadline' };
}

function withoutResultMarker(bytes: Uint8Array): Uint8Array {
  const format = formatBySignature(bytes);
  if (format === 'jpeg') return withoutSegments(bytes, isResultMarker);
  return format === 'png'
    ? pngOfChunks(readChunks(bytes).filter(({ type }) => type !== RESULT_CHUNK))
    : bytes;
}

async function search(work: Work): Promise<Outcome> {
  const upload = UPLOADS[work.source.format];
  const fixed = await upload.fixed?.(work);
  if (fixed) return compressFixed(work, fixed);
  const { byteLimit } = work.policy;
  if (byteLimit) return fitWithinLimit(work, byteLimit);
  return otherFormats(work).length === 0 ? upload.compress(work) : compressToSmallest(work);
}

export async function compressSource(work: Work): Promise<CompressedImage> {
  const { source, stopwatch, uploaded } = work;
  const { bytes, ...facts } = withoutGrowth(work, described(work, await compress(work)));
  const originalSize = uploaded?.bytes.length ?? source.bytes.length;
  const result = { bytes, ...facts };
  const { removed: also = [], ...added } =
    (await UPLOADS[source.format].describeResult?.(work, result)) ?? {};
  const density = judgedDensity(facts.dimensions, work.policy.density);
  const removed = [...(facts.removed ?? []), ...also];
  return {
    bytes,
    report: {
      originalSize,
      originalDimensions: source.dimensions,
      compressedSize: bytes.length,
      bytesSaved: Math.max(0, originalSize - bytes.length),
      ...facts,
      ...(removed.length > 0 ? { removed } : {}),
      ...added,
      ...(density > 1 ? { density } : {}),
      timings: stopwatch.timings(),
      encodes: stopwatch.encodes,
    },
  };
}

/** Returns the upload of a package instead, if that is accepted and not larger. */
function withoutGrowth({ source, uploaded, policy }: Work, result: Described): Described {
  if (!uploaded) return result;
  const { bytes, format, mayStay, budget } = uploaded;
  const kept = budget ? { budget } : {};
  const minSavingsRatio = policy.byteLimit ? 0 : policy.minSavingsRatio;
  const best = chooseSmallest(bytes.length, [result], { minSavingsRatio, mustChange: !mayStay });
  if (best) return { ...best, ...kept };
  const { dimensions } = source;
  return { bytes, format, score: 1, dimensions, skipReason: 'already-optimised', ...kept };
}

type Described = ReturnType<typeof described>;

function described({ source, engine, uploaded }: Work, outcome: Outcome) {
  const { format, dimensions } = source;
  if (!('skipReason' in outcome)) return { format, ...outcome };
  const { skipReason, ...kept } = outcome;
  const isUpload = outcome.bytes === source.bytes && !uploaded;
  return {
    format,
    score: 1,
    dimensions,
    ...UPLOADS[format].describeUnchanged(source, outcome, engine),
    ...(isUpload ? { skipReason } : {}),
    ...kept,
  };
}
