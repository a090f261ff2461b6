/** Makes other results of images of the list, with other options. */
import { batch, computed } from '@preact/signals';
import { facts } from '../api/facts';
import { queryOf, type Options } from '../api/options';
import { hasCost, hasEnded, isDeadEnd, isDone, isOverBudget, jobs, setOptions, type Job } from './jobs';
import { options } from './options';
import { cancel } from './queue';

/** Finished images whose options differ from the current ones. */
export const outdated = computed(() =>
  jobs.value.filter(
    (job) => hasEnded(job) && (isDone(job) || isOverBudget(job)) && isOutdated(job, options.value),
  ),
);

/** Compresses finished images with the current options. */
export function compressAgain(): void {
  batch(() => outdated.peek().forEach((job) => makeAgain(job, options.peek(), options.peek())));
}

/** Chooses options for the whole list. Images in progress start again. */
export function chooseForAll(changed: Options): void {
  const chosen = { ...options.peek(), ...changed };
  batch(() => {
    options.value = chosen;
    const all = jobs.peek().filter((job) => !isDeadEnd(job) && isOutdated(job, chosen));
    all.forEach((job) => makeAgain(job, chosen, chosen));
  });
}

/** Returns how many images a choice for the whole list takes of a trial or of the minute's images. */
export function costOf(changed: Options): number {
  const chosen = { ...options.value, ...changed };
  const isMadeAgain = (job: Job) =>
    job.state.kind !== 'waiting' && !isDeadEnd(job) && isOutdated(job, chosen);
  return jobs.value.filter((job) => isMadeAgain(job) && hasCost(job, chosen)).length;
}

/** Makes another result of one image. Unless it is chosen for the list too, the choice for the list stays. */
export function makeAgain(job: Job, asked: Options, chosen = job.chosen): void {
  cancel(job.id);
  setOptions(job, asked, chosen);
}

/** Requests a result of the smallest size with acceptable quality. */
export function takeLeastBytes(job: Job, leastBytes: number): void {
  // The service found that size at another number of pixels, so the next result may be slightly larger.
  makeAgain(job, { ...job.options, maxBytes: Math.ceil(leastBytes * ROUNDING) });
}

const ROUNDING = 1.01;

/** The service scales down to at most an eighth of each side; from there it can scale down again. */
const SCALED_TO = 1 / 8;

export function canHaveFewerPixels({ options: { maxDimension } }: Job): boolean {
  return maxDimension === undefined || maxDimension > facts.minDimensionPx;
}

/** Continues below the number of pixels at which the service gave up. */
export async function takeFewerPixels(job: Job): Promise<void> {
  const { width, height } = await createImageBitmap(job.file);
  const longer = Math.min(Math.max(width, height), job.options.maxDimension ?? facts.maxDimensionPx);
  const maxDimension = Math.max(facts.minDimensionPx, Math.floor(longer * SCALED_TO));
  makeAgain(job, { ...job.options, maxDimension });
}

function isOutdated({ chosen }: Job, wanted: Options): boolean {
  return queryOf(chosen) !== queryOf(wanted);
}
