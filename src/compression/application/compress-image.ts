/** Compresses an image of any upload format to one result or to a set: read, compress, report. Runs inside a worker. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';
import { judgedDensity } from '../domain/score/as-seen';
import { readSource, type Source } from '../formats/image-header';
import { compressFixed, fitWithinLimit } from './byte-limit/fit-within-limit';
import type { CodecEngine } from './codecs.port';
import type { Outcome } from './outcome';
import { otherFormats, Stopwatch, type Work } from './work';
import { compressToSmallest } from './results/choose-format';
import { UPLOADS } from './uploads/uploads';
import { ImageRefused, type RefusalCode } from '../../contract/image-problems';

/**
 * Compresses one image.
 * @throws ImageRefused when the file cannot be accepted (wrong format, damaged, too many pixels), or cannot fit into the
 * policy's byte limit.
 * @param clock measures the stages, in milliseconds
 */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
  clock = () => performance.now(),
): Promise<CompressedImage> {
  const source = readSource(bytes, policy.maxPixels);
  return compressWork({ source, engine, policy, stopwatch: new Stopwatch(clock) });
}

async function compress(work: Work): Promise<Outcome> {
  const upload = UPLOADS[work.source.format];
  const fixed = await upload.fixed?.(work);
  if (fixed) return compressFixed(work, fixed);
  const { byteLimit } = work.policy;
  if (byteLimit) return fitWithinLimit(work, byteLimit);
  const isPlain = otherFormats(work).length === 0 && !work.shared;
  return isPlain ? upload.compress(work) : compressToSmallest(work);
}

/** Like compressImage, for a work that may share its upload with others. */
async function compressWork(work: Work): Promise<CompressedImage> {
  const { source, stopwatch } = work;
  const { bytes, ...facts } = described(work, await compress(work));
  const result = { bytes, ...facts };
  const { removed: also = [], ...added } =
    (await UPLOADS[source.format].describeResult?.(work, result)) ?? {};
  const density = judgedDensity(facts.dimensions, work.policy.density);
  const removed = [...(facts.removed ?? []), ...also];
  return {
    bytes,
    report: {
      originalSize: source.bytes.length,
      originalDimensions: source.dimensions,
      compressedSize: bytes.length,
      bytesSaved: Math.max(0, source.bytes.length - bytes.length),
      ...facts,
      ...(removed.length > 0 ? { removed } : {}),
      ...added,
      ...(density > 1 ? { density } : {}),
      timings: stopwatch.timings(),
      encodes: stopwatch.encodes,
    },
  };
}

/** Returns the bytes to deliver, and their part of the report. */
function described({ source, engine }: Work, outcome: Outcome) {
  const { format, dimensions } = source;
  if (!('skipReason' in outcome)) return { format, ...outcome };
  const { skipReason, ...kept } = outcome;
  const isUpload = outcome.bytes === source.bytes;
  return {
    format,
    score: 1,
    dimensions,
    ...UPLOADS[format].describeUnchanged(source, outcome, engine),
    ...(isUpload ? { skipReason } : {}),
    ...kept,
  };
}

/** Refusals of one result; all others concern the upload. */
const OF_ONE: ReadonlySet<RefusalCode> = new Set(['cannot_convert', 'budget_unreachable']);

/**
 * Yields a result, or the refusal of one, for each policy and in their order. The bytes are the same as those of compressImage.
 * Neighbours that differ only in their formats share the decoded upload, and a PNG its own result.
 * @param clock measures the stages, in milliseconds
 * @throws ImageRefused when the upload cannot be accepted
 */
export async function* compressSet(
  source: Source,
  engine: CodecEngine,
  policies: readonly CompressionPolicy[],
  clock = () => performance.now(),
): AsyncGenerator<CompressedImage | ImageRefused> {
  let image = '';
  let stopwatch = new Stopwatch(clock);
  let shared = {};
  for (const policy of policies) {
    const ofImage = JSON.stringify({ ...policy, formats: undefined });
    if (image !== ofImage) {
      image = ofImage;
      stopwatch = new Stopwatch(clock);
      shared = {};
    }
    stopwatch.restart();
    // A byte limit decodes by itself, for several sizes.
    const sharing = policies.length > 1 && !policy.byteLimit ? { shared } : {};
    yield await compressWork({ source, engine, policy, stopwatch, ...sharing }).catch((error: unknown) => {
      if (error instanceof ImageRefused && OF_ONE.has(error.code)) return error;
      throw error;
    });
  }
}
