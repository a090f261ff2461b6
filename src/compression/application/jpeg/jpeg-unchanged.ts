/** The response for a JPEG that no recipe makes smaller. */
import type { SkipReason } from '../../../contract/report-words';
import { keptCompanions } from '../../domain/companion-rule';
import type { JpegSource } from '../../formats/image-header';
import { withoutPrivateMetadata } from '../../formats/jpeg/private-jpeg';
import type { Unchanged } from '../outcome';
import type { Work } from '../work';

/**
 * Returns the upload, or a copy without private metadata that the policy does not keep. Its coded data stay unchanged.
 * @param work the upload with everything after its image
 */
export function unchangedJpeg({ source, policy }: Work<JpegSource>, skipReason: SkipReason): Unchanged {
  const { bytes, structure } = source;
  const { keepMetadata: keep, keepCompanions } = policy;
  if (keep === 'all') return { skipReason, bytes };
  const verdict = keptCompanions(structure.companions, keepCompanions);
  const kept = verdict.skipReason ? { keep } : { keep, companions: verdict.companions };
  const copy = withoutPrivateMetadata(bytes, structure, kept);
  return copy ? { skipReason, bytes: copy, removed: verdict.removed } : { skipReason, bytes };
}
