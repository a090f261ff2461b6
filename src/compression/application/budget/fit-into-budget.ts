/**
 * Finds the best image of at most a number of bytes, in stages:
 *
 * usual       use the result without a budget if it fits
 * quality     use the highest quality that fits at the same dimensions, down to the floor
 * dimensions  do the same at smaller dimensions, step by step
 * refuse      refuse, or return the smallest result if the client allows any
 */
import type { CompressionPolicy } from '../../domain/compression-policy';
import { dimensionSteps, nextStep } from '../../domain/budget/dimension-steps';
import { floorScore } from '../../domain/budget/budget-floor';
import { fitWithin } from '../../domain/dimensions';
import { budgetUnreachable } from '../../domain/refusal';
import type { Outcome } from '../outcome';
import { JpegBudget } from './jpeg-budget';
import { pngIntoBudget } from './png-budget';
import type { BudgetWork, SizedRecipe } from './sized-recipe';

/**
 * @param compress the recipe without a budget
 * @throws ImageRefused `budget_unreachable` with the size of the smallest acceptable result
 */
export async function fitIntoBudget(
  task: Omit<BudgetWork, 'floor'>,
  compress: (policy: CompressionPolicy) => Promise<Outcome>,
): Promise<Outcome> {
  const { bytes, header, policy, budget } = task;
  const { maxBytes, allowsAny } = budget;
  const sizeOf = (outcome: Outcome) => ('skipReason' in outcome ? bytes.length : outcome.bytes.length);
  // An upload over the budget is replaced however little is saved.
  const usual = await compress(bytes.length > maxBytes ? { ...policy, minSavingsRatio: 0 } : policy);
  if (sizeOf(usual) <= maxBytes) return { ...usual, budget: 'met' };

  let smallest = usual;
  if (mayChange(usual)) {
    const recipe = recipeFor({ ...task, floor: floorScore(policy, budget) }, sizeOf(usual));
    const { width, height } = fitWithin(header.dimensions, policy);
    const sides = dimensionSteps(Math.max(width, height));
    for (let step = 0; step < sides.length;) {
      const { fitting, minBytes } = await recipe.fitAt(sides[step]);
      if (fitting) return { ...fitting, budget: 'met' };
      if (step === sides.length - 1) break;
      step = Math.min(nextStep(step, minBytes / maxBytes), sides.length - 1);
    }
    const last = await recipe.smallestAt(sides[sides.length - 1]);
    if (sizeOf(last) < sizeOf(usual)) smallest = last;
  }
  if (sizeOf(smallest) <= maxBytes) return { ...smallest, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, sizeOf(smallest));
  return { ...smallest, budget: 'missed' };
}

/** Animations and files whose companions must be kept are returned unchanged or refused. */
function mayChange(usual: Outcome): boolean {
  return !('skipReason' in usual) || usual.skipReason === 'already-optimised';
}

function recipeFor({ header, ...task }: BudgetWork, usualBytes: number): SizedRecipe {
  switch (header.format) {
    case 'jpeg':
      return new JpegBudget({ ...task, header });
    case 'png':
      return pngIntoBudget({ ...task, header }, usualBytes);
  }
}
