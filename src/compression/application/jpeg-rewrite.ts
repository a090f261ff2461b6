import type { CompressionPolicy } from '../domain/compression-policy';
import type { Dimensions } from '../domain/dimensions';
import type { Pixels } from '../domain/pixels';
import { withMetadataOf } from '../formats/jpeg/jpeg-metadata';
import { estimateQuality } from '../domain/history/saved-quality';
import type { JpegStructure } from '../formats/jpeg/jpeg-structure';
import type { JpegCodec } from './codecs.port';
import type { Candidate } from './outcome';
import type { Stopwatch } from './stopwatch';

export interface JpegSource {
  readonly bytes: Uint8Array;
  readonly structure: JpegStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

/** The same pixels in fewer bytes, without the metadata that is not kept; undefined when the codec cannot do it. */
export async function rewriteLosslessly(
  { bytes, structure, dimensions }: JpegSource,
  codec: JpegCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Candidate | undefined> {
  // Decoded first: a damaged source is refused here, also one that no lossy search has looked at.
  const before = await stopwatch.time('verify', () => shown(bytes, codec));
  const recoded = await stopwatch.time('encode', () => codec.recodeLosslessly(bytes));
  if (!recoded) return undefined;
  const { orientation, stored, lumaDivisors } = structure;
  const written = { keep: policy.keepMetadata, orientation, dimensions: stored };
  const delivered = withMetadataOf(structure, recoded, written);
  // Also what is called lossless is looked at before it goes out.
  const after = await stopwatch.time('verify', () => shown(delivered, codec));
  if (Buffer.compare(before.data, after.data) !== 0) return undefined;
  const quality = lumaDivisors ? estimateQuality(lumaDivisors) : 100;
  return { bytes: delivered, quality, score: 1, dimensions };
}

function shown(jpeg: Uint8Array, codec: JpegCodec): Promise<Pixels> {
  return codec.decode(jpeg, { orientation: 1 });
}
