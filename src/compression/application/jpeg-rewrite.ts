import type { CompressionPolicy } from '../domain/compression-policy';
import type { Pixels } from '../domain/pixels';
import { withMetadataOf } from '../formats/jpeg/jpeg-metadata';
import { MOZJPEG_TABLES, nearestQuality, STANDARD_TABLES } from '../domain/history/quantization-tables';
import { isChromaHalved } from '../formats/jpeg/jpeg-structure';
import type { JpegCodec } from './codecs.port';
import { engineTables } from './jpeg-allowance';
import type { JpegSource } from './jpeg-source';
import type { Candidate } from './outcome';
import type { Stopwatch } from './stopwatch';

/** Returns the same pixels in fewer bytes, without the metadata to remove; undefined if the codec cannot do it. */
export async function rewriteLosslessly(
  { bytes, structure, dimensions }: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Candidate | undefined> {
  // Decoding refuses a damaged source, also if no lossy search has decoded it.
  const before = await stopwatch.time('verify', () => shown(bytes, codec));
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { orientation, storedSize, lumaSteps } = structure;
  const { keepMetadata: keep, targetScore } = policy;
  const written = { keep, orientation, dimensions: storedSize, targetScore };
  const delivered = withMetadataOf(structure, recoded, written);
  // Verifies that the rewrite is lossless.
  const after = await stopwatch.time('verify', () => shown(delivered, codec));
  if (Buffer.compare(before.data, after.data) !== 0) return undefined;
  const engine = engineTables(codec, isChromaHalved(structure) ? '4:2:0' : '4:4:4');
  const { quality } = lumaSteps
    ? nearestQuality(lumaSteps, [STANDARD_TABLES, MOZJPEG_TABLES, engine])
    : { quality: 100 };
  return { bytes: delivered, quality, score: 1, dimensions };
}

function shown(jpeg: Uint8Array, codec: JpegCodec): Promise<Pixels> {
  return codec.decode(jpeg, { orientation: 1 });
}
