/** Budgets of animations: nothing is lost to fit into one, neither frames nor colours nor dimensions. */
import { budgetUnreachable } from '../../../contract/image-problems';
import type { ByteBudget } from '../../domain/compression-policy';
import type { Outcome } from '../outcome';
import type { Work } from '../work';

/**
 * Returns the usual result, whether it fits or, if the client allows any, not.
 * @param compress the recipe without a budget
 * @throws ImageRefused `budget_unreachable` with the size of the usual result
 */
export async function fitAnimation(
  work: Work,
  { maxBytes, allowsAny }: ByteBudget,
  compress: (work: Work) => Promise<Outcome>,
): Promise<Outcome> {
  const { source, policy } = work;
  // An upload over the budget is replaced however little is saved.
  const minSavingsRatio = source.bytes.length > maxBytes ? 0 : policy.minSavingsRatio;
  const outcome = await compress({ ...work, policy: { ...policy, minSavingsRatio } });
  const { length } = outcome.bytes;
  if (length <= maxBytes) return { ...outcome, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, length);
  return { ...outcome, budget: 'missed' };
}
