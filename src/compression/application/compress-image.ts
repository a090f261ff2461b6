/** Compresses an image of any supported format. Runs inside a worker. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage, CompressionReport } from '../domain/compression-report';
import { readImageHeader, type ImageHeader } from '../formats/image-header';
import { fitIntoBudget } from './budget/fit-into-budget';
import type { CodecEngine } from './codecs.port';
import { jpegEstimate } from './jpeg-estimate';
import { compressJpeg } from './jpeg-recipe';
import type { Outcome } from './outcome';
import { compressPng } from './png-recipe';
import { Stopwatch } from './stopwatch';

/**
 * Compresses one image.
 * @throws ImageRefused when the file cannot be accepted (wrong format, damaged, too many pixels), or cannot fit into the
 * policy's budget.
 */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
): Promise<CompressedImage> {
  const header = readImageHeader(bytes, policy.maxPixels);
  const stopwatch = new Stopwatch();
  const compress = (asked: CompressionPolicy) => runRecipe(bytes, header, engine, asked, stopwatch);
  const { budget } = policy;
  const outcome = budget
    ? await fitIntoBudget({ bytes, header, engine, policy, budget, stopwatch }, compress)
    : await compress(policy);

  const { bytes: result, ...facts } = asResult(outcome, bytes, header);
  const isStillPng = header.format === 'png' && header.structure.isSrgbLike && !header.structure.isAnimated;
  const asJpeg = isStillPng && (await jpegEstimate(result, facts.dimensions, engine, policy, stopwatch));
  const report: CompressionReport = {
    format: header.format,
    originalSize: bytes.length,
    originalDimensions: header.dimensions,
    compressedSize: result.length,
    bytesSaved: Math.max(0, bytes.length - result.length),
    ...facts,
    ...(asJpeg ? { jpegEstimate: asJpeg } : {}),
    timings: stopwatch.timings(),
    encodes: stopwatch.encodes,
  };
  return { bytes: result, report };
}

/** Returns the bytes to deliver and their part of the report. A file that is returned unchanged has no quality. */
function asResult(outcome: Outcome, upload: Uint8Array, { format, dimensions }: ImageHeader) {
  if (!('skipReason' in outcome)) return outcome;
  return { bytes: upload, score: 1, dimensions, ...(format === 'png' ? { maxError: 0 } : {}), ...outcome };
}

function runRecipe(
  bytes: Uint8Array,
  header: ImageHeader,
  engine: CodecEngine,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  switch (header.format) {
    case 'jpeg':
      return compressJpeg({ bytes, ...header }, engine.jpeg, policy, stopwatch);
    case 'png':
      return compressPng({ bytes, ...header }, engine.png, policy, stopwatch);
  }
}
