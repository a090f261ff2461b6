/**
 * Finds the best image within a byte limit, in stages:
 *
 * usual       use the result without a limit if it fits; skip it if it certainly does not
 * quality     use the highest quality that fits at the same dimensions, down to the floor
 * dimensions  use the highest quality that fits at smaller dimensions, step by step
 * give up     if the smallest dimensions do not fit either, refuse, or return the smallest result if the client allows any
 *
 * If the data around the pixels alone exceed the limit, there is no search. The upload is decoded once.
 */
import { dimensionSteps, nextStep } from '../../domain/byte-limit/fit-search';
import { QUALITY_TARGETS, type ByteLimit, type CompressionPolicy } from '../../domain/compression-policy';
import { fitWithin } from '../../domain/dimensions';
import { budgetUnreachable } from '../../../contract/image-problems';
import type { Outcome } from '../outcome';
import type { Work } from '../work';
import {
  compressToSmallest,
  conversionFormats,
  openConversions,
  predicted,
  type Bid,
} from '../results/choose-format';
import { UPLOADS } from '../uploads/uploads';
import { decodingOnce } from './decode-once';
import { mayChange, type LimitedWork, type SizedRecipe, type Attempt } from './sized-recipe';
import type { FixedImage } from '../uploads/upload';
import type { ResultFormatName } from '../../../contract/formats';

/** The smallest dimensions, one of which gives the smallest result: half a side. */
const SMALLEST_STEPS = 5;
/** Lower than any score that an encoder can reach. */
const NO_FLOOR = 0;

/** @throws ImageRefused `budget_unreachable` with the size of the smallest acceptable result */
export async function fitWithinLimit(task: Work, byteLimit: ByteLimit): Promise<Outcome> {
  const { source, policy } = task;
  const { maxBytes } = byteLimit;
  const largest = fitWithin(source.dimensions, policy);
  const work = { ...task, engine: decodingOnce(task.engine, source, largest) };
  const recipe = recipeFor({ ...work, byteLimit, floor: floorScore(policy, byteLimit) });
  const sides = dimensionSteps(Math.max(largest.width, largest.height));
  return withBudget(await bestWithin(work, { recipe, sides, maxBytes }), byteLimit, budgetUnreachable);
}

/** @throws ImageRefused if the outcome exceeds the limit and the client does not allow any */
function withBudget(
  outcome: Outcome,
  { maxBytes, allowsAny }: ByteLimit,
  overLimit: FixedImage['overLimit'],
): Outcome {
  const size = sizeOf(outcome);
  if (size <= maxBytes) return { ...outcome, budget: 'met' };
  if (!allowsAny) throw overLimit(maxBytes, size);
  return { ...outcome, budget: 'missed' };
}

async function bestWithin(work: Work, search: Search): Promise<Outcome> {
  const { recipe, maxBytes } = search;
  const isOver = work.source.bytes.length > maxBytes;
  if (isOver) {
    if (((await recipe.surroundingBytes?.()) ?? 0) > maxBytes) return smallestResult(search);
    const hopeless = await recipe.hopelessUsualBytes?.();
    if (hopeless !== undefined) return searchDown(hopeless, search);
  }
  // An upload over the limit is replaced however little that saves.
  const usual = await compressToSmallest(isOver ? withAnySaving(work) : work);
  const usualBytes = sizeOf(usual);
  return usualBytes > maxBytes && mayChange(usual) ? searchDown(usualBytes, search) : usual;
}

/**
 * Returns the lowest score of a result that must fit into a byte limit: the score of `low`, or the policy's target if it is
 * lower; 0 if the client allows any result.
 * @example
 * console.log(floorScore({ targetScore: 0.9914 }, { allowsAny: false })); // 0.983
 * console.log(floorScore({ targetScore: 0.97 }, { allowsAny: false })); // 0.97
 * console.log(floorScore({ targetScore: 0.9914 }, { allowsAny: true })); // 0
 */
export function floorScore({ targetScore }: CompressionPolicy, { allowsAny }: ByteLimit): number {
  return allowsAny ? NO_FLOOR : Math.min(targetScore, QUALITY_TARGETS.low);
}

interface Search {
  readonly recipe: SizedRecipe;
  /** Longer sides to try, largest first. */
  readonly sides: readonly number[];
  readonly maxBytes: number;
}

/**
 * Returns the first result that fits, or else the smallest one.
 * @param usualBytes size of the result without a byte limit
 */
async function searchDown(usualBytes: number, search: Search): Promise<Outcome> {
  const { recipe, sides, maxBytes } = search;
  const last = sides.length - 1;
  let firstBytes: number | undefined;
  for (let step = 0; ;) {
    const { fitting, minBytes } = await recipe.fitAt(sides[step], usualBytes);
    if (fitting) return fitting;
    firstBytes ??= minBytes;
    if (step === last) break;
    step = Math.min(nextStep(step, minBytes / maxBytes), last);
  }
  const least = await smallestResult(search);
  // Scaling may make a graphic larger in bytes, so the first step counts as well.
  if (last === 0 || firstBytes >= sizeOf(least)) return least;
  return smallerOf(least, await recipe.smallestAt(sides[0]));
}

function smallerOf(a: Outcome, b: Outcome): Outcome {
  return sizeOf(b) < sizeOf(a) ? b : a;
}

/**
 * Returns the smallest result. For a photo it has the smallest dimensions; a graphic may have more colours there, and take more
 * bytes, than at slightly larger dimensions.
 */
async function smallestResult({ recipe, sides }: Search): Promise<Outcome> {
  const [first, ...rest] = sides.slice(-SMALLEST_STEPS);
  let least = await recipe.smallestAt(first);
  for (const side of rest) least = smallerOf(least, await recipe.smallestAt(side));
  return least;
}

function sizeOf({ bytes }: Outcome): number {
  return bytes.length;
}

/** Returns the same work, with any saving worth a rewrite. */
function withAnySaving(work: Work): Work {
  return { ...work, policy: { ...work.policy, minSavingsRatio: 0 } };
}

function recipeFor(work: LimitedWork): SizedRecipe {
  const own = UPLOADS[work.source.format].fitRecipe(work);
  const others = conversionFormats(work);
  return others.length > 0 ? new ConversionFit(work, others, own) : own;
}

/**
 * Compresses an animation or a nine-patch. These lose no frames, colours or dimensions to fit, so there is nothing to search: returns
 * the usual result if it fits or the client allows any.
 * @throws ImageRefused if it does not fit, or if the image does not allow the request
 */
export async function compressFixed(work: Work, image: FixedImage): Promise<Outcome> {
  const { byteLimit, ...policy } = work.policy;
  if (!byteLimit) return image.compress(work);
  const unlimited = { ...work, policy };
  const isOver = work.source.bytes.length > byteLimit.maxBytes;
  const outcome = await image.compress(isOver ? withAnySaving(unlimited) : unlimited);
  return withBudget(outcome, byteLimit, image.overLimit);
}

/** If the prediction exceeds the byte limit by more than this factor, no full encode is made. */
const HOPELESS_SIZE = 1.2;
/** Maximum number of full encodes at one size. */
const MAX_ENCODES = 4;

/**
 * Fits an image into a byte limit in another format: the highest quality whose file fits, in the format that seems smallest at
 * the lowest acceptable quality. At dimensions too large for every other format, the image keeps its own if that is accepted.
 */
class ConversionFit implements SizedRecipe {
  constructor(
    private readonly work: LimitedWork,
    private readonly formats: readonly ResultFormatName[],
    /** The recipe of the upload's own format. */
    private readonly own: SizedRecipe,
  ) {}

  async fitAt(maxDimensionPx: number, usualBytes: number): Promise<Attempt> {
    const { maxBytes } = this.work.byteLimit;
    const smallest = await this.smallestFormatAt(maxDimensionPx);
    if (!smallest) return this.own.fitAt(maxDimensionPx, usualBytes);
    const { conversion, bytes } = smallest;
    if (bytes > maxBytes * HOPELESS_SIZE) return { minBytes: bytes };
    return conversion.fit(maxBytes, MAX_ENCODES);
  }

  async smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const smallest = await this.smallestFormatAt(maxDimensionPx);
    return smallest ? (await smallest.conversion.run()).candidate : this.own.smallestAt(maxDimensionPx);
  }

  /** Returns undefined if the image has to keep its own format. */
  private async smallestFormatAt(maxDimensionPx: number): Promise<Bid | undefined> {
    const policy = { ...this.work.policy, maxDimensionPx, targetScore: this.work.floor };
    return (await predicted(await openConversions({ ...this.work, policy }, this.formats))).at(0);
  }
}
