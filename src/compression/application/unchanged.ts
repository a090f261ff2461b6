/**
 * What is delivered where no recipe gains anything: the upload, byte for byte, unless it holds private metadata that the policy
 * does not keep. Then it is copied without them, and its coded data stay as they are. Every recipe ends here.
 */
import type { SkipReason } from '../../contract/report-words';
import { keptCompanions } from '../domain/companion-rule';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { JpegSource, Source } from '../formats/image-header';
import { withoutPrivateMetadata } from '../formats/jpeg/private-jpeg';
import { withoutPrivateChunks } from '../formats/png/private-png';
import type { Unchanged } from './outcome';
import type { Work } from './work';

/** @param upload the whole of it: with all companions of its image */
export function unchanged(
  { source, policy }: Pick<Work, 'source' | 'policy'>,
  skipReason: SkipReason,
): Unchanged {
  return { skipReason, bytes: source.bytes, ...withoutPrivate(source, policy) };
}

/** Returns the file without private metadata, and what else it lost; undefined if it may stay as it is. */
function withoutPrivate(
  source: Source,
  { keepMetadata: keep, keepCompanions }: CompressionPolicy,
): Pick<Unchanged, 'bytes' | 'removed'> | undefined {
  if (keep === 'all') return undefined;
  if (source.format === 'png') {
    const bytes = withoutPrivateChunks(source.bytes, source.structure, keep);
    return bytes && { bytes };
  }
  const { bytes: upload, structure }: JpegSource = source;
  const { skipReason, companions, removed } = keptCompanions(structure.companions, keepCompanions);
  const kept = skipReason ? { keep } : { keep, companions };
  const bytes = withoutPrivateMetadata(upload, structure, kept);
  return bytes && { bytes, removed };
}
