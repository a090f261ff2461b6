import { MOZJPEG_TABLES, nearestQuality, STANDARD_TABLES } from '../../domain/history/quantization-tables';
import { withMetadataOf } from '../../formats/jpeg/jpeg-metadata';
import { isChromaHalved, type JpegStructure } from '../../formats/jpeg/jpeg-structure';
import type { JpegCodec } from '../codecs.port';
import type { Candidate } from '../outcome';
import { decodeUpload } from './decode-upload';
import { engineTables } from './jpeg-allowance';
import type { JpegWork } from './jpeg-work';

/** Returns the same pixels in fewer bytes, without the metadata to remove; undefined if the codec cannot do it. */
export async function rewriteLosslessly(work: JpegWork): Promise<Candidate | undefined> {
  const { codec, policy, stopwatch } = work;
  const { bytes, structure, dimensions } = work.source;
  // Decoding refuses a damaged source, even if no lossy search has decoded it.
  const before = await stopwatch.time('verify', () => decodeUpload(codec, work.source, { orientation: 1 }));
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { orientation, storedSize } = structure;
  const { keepMetadata: keep, targetScore } = policy;
  const delivered = withMetadataOf(structure, recoded, {
    keep,
    orientation,
    dimensions: storedSize,
    targetScore,
    density: work.density,
  });
  // Verifies that the rewrite is lossless.
  const after = await stopwatch.time('verify', () =>
    codec.decode(delivered, { header: structure, orientation: 1 }),
  );
  if (Buffer.compare(before.data, after.data) !== 0) return undefined;
  return { bytes: delivered, quality: storedQuality(structure, codec), score: 1, dimensions };
}

/** Returns the quality whose quantization tables are nearest to those of the file, 1..100. */
export function storedQuality(structure: JpegStructure, codec: JpegCodec): number {
  const { lumaSteps } = structure;
  if (!lumaSteps) return 100;
  const engine = engineTables(codec, isChromaHalved(structure) ? '4:2:0' : '4:4:4');
  return nearestQuality(lumaSteps, [STANDARD_TABLES, MOZJPEG_TABLES, engine]).quality;
}
