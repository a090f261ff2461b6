/**
 * Finds the best image of at most a number of bytes, in stages:
 *
 * usual       use the result without a budget if it fits
 * quality     use the highest quality that fits at the same dimensions, down to the floor
 * give up     refuse, or return the smallest result if the client allows any, if the smallest dimensions do not fit either
 * dimensions  use the highest quality that fits at smaller dimensions, step by step
 *
 * If what surrounds the pixels takes more than the budget, nothing is searched. The upload is decoded once.
 */
import { dimensionSteps, nextStep } from '../../domain/budget/dimension-steps';
import { QUALITY_TARGETS, type ByteBudget, type CompressionPolicy } from '../../domain/compression-policy';
import { fitWithin } from '../../domain/dimensions';
import { budgetUnreachable } from '../../../contract/image-problems';
import type { Outcome } from '../outcome';
import type { Work } from '../work';
import { conversionFormats } from '../targets/choose-format';
import { ConversionBudget } from './conversion-budget';
import { decodingOnce } from './decode-once';
import { JpegBudget } from './jpeg-budget';
import { PngBudget } from './png-budget';
import { mayChange, type BudgetWork, type SizedRecipe } from './sized-recipe';

/** The smallest dimensions, of which one gives the smallest result: half a side. */
const SMALLEST_STEPS = 5;
/** Lower than any score that an encoder can reach. */
const NO_FLOOR = 0;

/**
 * @param compress the recipe without a budget
 * @throws ImageRefused `budget_unreachable` with the size of the smallest acceptable result
 */
export async function fitIntoBudget(
  task: Work,
  budget: ByteBudget,
  compress: (work: Work) => Promise<Outcome>,
): Promise<Outcome> {
  const { source, policy } = task;
  const { length } = source.bytes;
  const { maxBytes, allowsAny } = budget;
  const largest = fitWithin(source.dimensions, policy);
  const work = { ...task, engine: decodingOnce(task.engine, source, largest) };
  const recipe = recipeFor({ ...work, budget, floor: floorScore(policy, budget) });
  const sides = dimensionSteps(Math.max(largest.width, largest.height));
  const search = { recipe, sides, maxBytes };

  let best: Outcome;
  if (length > maxBytes && (await recipe.surroundingBytes()) > maxBytes) {
    best = await smallestResult(search);
  } else {
    // An upload over the budget is replaced however little is saved.
    best = await compress(length > maxBytes ? withAnySaving(work) : work);
    if (sizeOf(best) > maxBytes && mayChange(best)) best = await searchDown(best, search);
  }
  const size = sizeOf(best);
  if (size <= maxBytes) return { ...best, budget: 'met' };
  if (!allowsAny) throw budgetUnreachable(maxBytes, size);
  return { ...best, budget: 'missed' };
}

/**
 * Returns the lowest score of a result that must fit into a budget: that of `low`, or the policy's target if it is
 * lower; 0 if the client allows any result.
 * @example
 * console.log(floorScore({ targetScore: 0.9914 }, { allowsAny: false })); // 0.983
 * console.log(floorScore({ targetScore: 0.97 }, { allowsAny: false })); // 0.97
 * console.log(floorScore({ targetScore: 0.9914 }, { allowsAny: true })); // 0
 */
export function floorScore({ targetScore }: CompressionPolicy, { allowsAny }: ByteBudget): number {
  return allowsAny ? NO_FLOOR : Math.min(targetScore, QUALITY_TARGETS.low);
}

interface Search {
  readonly recipe: SizedRecipe;
  /** Longer sides to try, largest first. */
  readonly sides: readonly number[];
  readonly maxBytes: number;
}

/** Returns the first result that fits, or else the smallest one. */
async function searchDown(usual: Outcome, search: Search): Promise<Outcome> {
  const { recipe, sides, maxBytes } = search;
  const last = sides.length - 1;
  const smallerOf = (a: Outcome, b: Outcome) => (sizeOf(b) < sizeOf(a) ? b : a);
  let least: Outcome | undefined;
  for (let step = 0; ;) {
    const { fitting, minBytes } = await recipe.fitAt(sides[step], sizeOf(usual));
    if (fitting) return fitting;
    if (!least) {
      least = smallerOf(usual, await smallestResult(search));
      // A graphic may take more bytes when it is scaled, so the first step counts as well.
      if (last > 0 && minBytes < sizeOf(least)) least = smallerOf(least, await recipe.smallestAt(sides[0]));
    }
    if (step === last || sizeOf(least) > maxBytes) return least;
    step = Math.min(nextStep(step, minBytes / maxBytes), last);
  }
}

/**
 * Returns the smallest result. That of a photo has the smallest dimensions; a graphic may have more colours there, and take
 * more bytes, than at somewhat larger ones.
 */
async function smallestResult({ recipe, sides }: Search): Promise<Outcome> {
  const [first, ...rest] = sides.slice(-SMALLEST_STEPS);
  let least = await recipe.smallestAt(first);
  for (const side of rest) {
    const smaller = await recipe.smallestAt(side);
    if (sizeOf(smaller) < sizeOf(least)) least = smaller;
  }
  return least;
}

function sizeOf({ bytes }: Outcome): number {
  return bytes.length;
}

/** Returns the same work, for which the smallest saving is worth a rewrite. */
function withAnySaving(work: Work): Work {
  return { ...work, policy: { ...work.policy, minSavingsRatio: 0 } };
}

function recipeFor({ source, ...work }: BudgetWork): SizedRecipe {
  const others = conversionFormats({ source, ...work });
  const own = ownRecipe({ source, ...work });
  return others.length > 0 ? new ConversionBudget({ source, ...work }, others, own) : own;
}

function ownRecipe({ source, ...work }: BudgetWork): SizedRecipe {
  switch (source.format) {
    case 'jpeg':
      return new JpegBudget({ ...work, source });
    case 'png':
      return new PngBudget({ ...work, source });
  }
}
