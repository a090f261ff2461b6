/**
 * The way of an image, from the bytes of an upload to the bytes of the response. Runs in a worker.
 * read        the header; of a format without codings of its own also the pixels
 * open        one value for an upload of any format: dimensions, pixels, what it is and what it allows
 * candidates  whatever may win, each with an estimate of its bytes: the codings of its own format, then other formats
 * choose      the smallest file that looks like the upload and saves enough; otherwise the upload
 * deliver     the file and its report
 */
import { ImageRefused } from '../../contract/image-problems';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';
import { once } from '../domain/once';
import { judgedDensity } from '../domain/score/as-seen';
import { lostData } from '../formats/image-header';
import { withinByteLimit, withOutcome, type LimitedResult } from './byte-limit';
import { choose, type Result } from './choose';
import type { CodecEngine } from './codecs.port';
import { canEnd, isLate, mayStay, otherFormats, Stopwatch, type Context } from './context';
import { listConversions } from './conversions';
import type { OpenedImage } from './opened-image';
import { SOURCE_CODE, withoutMarker } from './formats';
import { orUpload, readUpload, repairUpload, type FixedUpload, type Upload } from './read-upload';

/** @throws ImageRefused when the file cannot be accepted, or cannot fit into the policy's byte limit */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
): Promise<CompressedImage> {
  return compressUpload(await readUpload(bytes, { engine, policy, stopwatch: new Stopwatch() }));
}

/** @throws ImageRefused as compressImage does */
export async function compressUpload(upload: Upload | FixedUpload): Promise<CompressedImage> {
  if ('fixed' in upload) return deliver(upload, upload.fixed);
  try {
    return await compressRead(upload);
  } catch (error) {
    const isDamaged = error instanceof ImageRefused && error.reason === 'undecodable';
    const repaired = isDamaged ? await repairUpload(upload) : undefined;
    if (!repaired) throw error;
    return compressRead(repaired);
  }
}

async function compressRead(upload: Upload): Promise<CompressedImage> {
  const { source, decoded, context } = upload;
  const { byteLimit, ...unlimited } = context.policy;
  // An upload over the limit is replaced however little that saves.
  const isOver = byteLimit !== undefined && source.bytes.length > byteLimit.maxBytes;
  const policy = isOver ? { ...unlimited, minSavingsRatio: 0 } : unlimited;
  const asked = { ...context, policy };
  const image = await SOURCE_CODE[source.format].open(source, asked);
  const chosen = byteLimit
    ? withinByteLimit(image, asked, byteLimit, smallestFile)
    : smallestFile(image, asked);
  const best = await (decoded ? orUpload(decoded, upload, chosen) : chosen);
  const { byteLimit: limit } = decoded ?? { byteLimit };
  const result: LimitedResult = limit ? withOutcome(best, limit) : best;
  const removed = new Set([...(result.removed ?? []), ...lostData(source, result)]);
  const file = { bytes: decoded?.bytes ?? source.bytes, dimensions: source.dimensions, context };
  return deliver(file, { ...result, removed: [...removed] }, await image.estimateAsJpeg?.(result));
}

/** At the same quality, own codings compete with each other, and the best of them with other formats. */
async function smallestFile(image: OpenedImage, context: Context): Promise<Result> {
  const { source, mustChange } = image;
  const { minSavingsRatio } = context.policy;
  // Otherwise the worker would be killed at the deadline, and there would be no result.
  const mayBeUpload = !mustChange && mayStay(context, source.format);
  if (mayBeUpload && !canEnd(context, source.dimensions, image.leastMs)) return image.unchanged();
  const rules = { originalSize: source.bytes.length, minSavingsRatio, mustChange };
  const late = () => isLate(context);
  const make = once(async () => (await choose(await image.codings(), rules, late)) ?? image.unchanged());
  const estimate = once(async () => (await image.estimate?.()) ?? (await make()).bytes.length);
  const isAlone = image.isFixed || otherFormats(context, source.format).length === 0;
  const conversions = isAlone ? [] : await listConversions(image, { make, estimate }, context);
  if (conversions.length === 0) return make();
  if (!mayStay(context, source.format))
    return (await choose(conversions, { ...rules, mustChange: true }, late)) ?? image.unchanged();
  const own = { estimate, margin: 1 / CERTAIN, make };
  return (await choose([own, ...conversions], rules, late)) ?? make();
}

/** If another format takes at most this share of the prediction for the upload's own, that one is not made. */
const CERTAIN = 0.9;

/** Makes the report. A partial result has no marker: sent again, it may get smaller, but loses nothing more. */
function deliver(
  { bytes: original, dimensions, context }: Pick<FixedUpload, 'bytes' | 'dimensions' | 'context'>,
  chosen: LimitedResult,
  jpegEstimate?: number,
): CompressedImage {
  const { policy, stopwatch, timeLimit } = context;
  const { bytes: file, format, skipReason, removed = [], ...facts } = chosen;
  delete (facts as { missedScore?: number }).missedScore;
  const isPartial = timeLimit?.wasReached === true;
  const bytes = isPartial && skipReason === undefined ? withoutMarker(format, file) : file;
  const density = judgedDensity(facts.dimensions, policy.density);
  return {
    bytes,
    report: {
      originalSize: original.length,
      originalDimensions: dimensions,
      compressedSize: bytes.length,
      bytesSaved: Math.max(0, original.length - bytes.length),
      // JSON lines keep this order.
      format,
      ...facts,
      ...(skipReason !== undefined && bytes === original && { skipReason }),
      ...(removed.length > 0 && { removed }),
      ...(jpegEstimate !== undefined && { jpegEstimate }),
      ...(density > 1 && { density }),
      ...(isPartial && { partial: 'deadline' }),
      timings: stopwatch.timings(),
      encodes: stopwatch.encodes,
    },
  };
}
