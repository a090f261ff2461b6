/** Byte limits of animations and nine-patches, which lose nothing to fit: no frames, colours or dimensions. */
import type { Outcome } from '../outcome';
import type { FixedImage } from '../uploads/upload';
import type { Work } from '../work';

/**
 * Returns the usual result if it fits or the client allows any.
 * @throws ImageRefused if it does not fit, or if the image does not allow the request
 */
export async function compressFixed(work: Work, image: FixedImage): Promise<Outcome> {
  const { source, policy } = work;
  const { byteLimit, ...unlimited } = policy;
  if (!byteLimit) return image.compress(work);
  const { maxBytes, allowsAny } = byteLimit;
  // An upload over the limit is replaced however little that saves.
  const minSavingsRatio = source.bytes.length > maxBytes ? 0 : policy.minSavingsRatio;
  const outcome = await image.compress({ ...work, policy: { ...unlimited, minSavingsRatio } });
  const { length } = outcome.bytes;
  if (length <= maxBytes) return { ...outcome, budget: 'met' };
  if (!allowsAny) throw image.overLimit(maxBytes, length);
  return { ...outcome, budget: 'missed' };
}
