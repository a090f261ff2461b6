/** The response for a PNG that no recipe makes smaller. */
import type { SkipReason } from '../../../contract/report-words';
import type { PngSource } from '../../formats/image-header';
import { withoutPrivateChunks } from '../../formats/png/private-png';
import type { Unchanged } from '../outcome';
import type { Work } from '../work';

/** Returns the upload, or a copy without private metadata that the policy does not keep. Its coded data stay unchanged. */
export function unchangedPng({ source, policy }: Work<PngSource>, skipReason: SkipReason): Unchanged {
  const { bytes, structure } = source;
  const { keepMetadata: keep } = policy;
  const copy = keep === 'all' ? undefined : withoutPrivateChunks(bytes, structure, keep);
  return { skipReason, bytes: copy ?? bytes };
}
