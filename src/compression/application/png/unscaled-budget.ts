/** Budgets of animations and nine-patches: nothing is lost to fit into one, neither frames nor colours nor dimensions. */
import type { ImageRefused } from '../../../contract/image-problems';
import type { ByteBudget } from '../../domain/compression-policy';
import type { Outcome } from '../outcome';
import type { Work } from '../work';

/**
 * Returns the usual result, whether it fits or, if the client allows any, not.
 * @param compress the recipe without a budget
 * @param refusal made from the limit and the size of the usual result
 * @throws ImageRefused the refusal
 */
export async function fitUnscaled(
  work: Work,
  { maxBytes, allowsAny }: ByteBudget,
  compress: (work: Work) => Promise<Outcome>,
  refusal: (maxBytes: number, smallest: number) => ImageRefused,
): Promise<Outcome> {
  const { source, policy } = work;
  // An upload over the budget is replaced however little is saved.
  const minSavingsRatio = source.bytes.length > maxBytes ? 0 : policy.minSavingsRatio;
  const outcome = await compress({ ...work, policy: { ...policy, minSavingsRatio } });
  const { length } = outcome.bytes;
  if (length <= maxBytes) return { ...outcome, budget: 'met' };
  if (!allowsAny) throw refusal(maxBytes, length);
  return { ...outcome, budget: 'missed' };
}
