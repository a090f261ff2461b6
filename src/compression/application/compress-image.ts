/** The operation itself: bytes in, bytes and a report out, whatever the format. Runs inside a worker. */
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage } from '../domain/compression-report';
import { readImageHeader, type ImageHeader } from '../formats/image-header';
import type { CodecEngine } from './codecs.port';
import { compressJpeg } from './jpeg-recipe';
import type { Outcome } from './outcome';
import { compressPng } from './png-recipe';
import { Stopwatch } from './stopwatch';

/**
 * Compresses one image.
 * @param msLeft until nobody waits for the result any more: what is in a hurry spends less on bytes, never on quality
 * @throws ImageRefused when the file cannot be accepted (wrong format, damaged, too many pixels).
 */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
  msLeft?: number,
): Promise<CompressedImage> {
  const header = readImageHeader(bytes, policy.maxPixels);
  const stopwatch = new Stopwatch(msLeft);
  const outcome = await runRecipe(bytes, header, engine, policy, stopwatch);

  const { format, dimensions: originalDimensions } = header;
  const { encodes } = stopwatch;
  const timings = stopwatch.timings();
  const source = { format, originalSize: bytes.length, originalDimensions, timings, encodes };
  if ('skipReason' in outcome) {
    const { skipReason } = outcome;
    const untouched = {
      compressedSize: bytes.length,
      bytesSaved: 0,
      score: 1,
      dimensions: originalDimensions,
    };
    return { bytes, report: { ...source, ...untouched, skipReason } };
  }
  const { bytes: result, ...facts } = outcome;
  const sizes = { compressedSize: result.length, bytesSaved: Math.max(0, bytes.length - result.length) };
  return { bytes: result, report: { ...source, ...sizes, ...facts } };
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
