/** Compresses images of the list again, with other options. */
import { batch, computed } from '@preact/signals';
import { facts } from '../api/facts';
import { queryOf, type Options } from '../api/options';
import { forgetSaved } from './downloads';
import { isDone, isOverBudget, jobs, setOptions, type Job } from './jobs';
import { options } from './options';
import { retry } from './queue';

/** Finished images whose options differ from the current ones. */
export const outdated = computed(() =>
  jobs.value.filter(
    (job) => (isDone(job) || isOverBudget(job)) && queryOf(job.chosen) !== queryOf(options.value),
  ),
);

export function compressAgain(): void {
  batch(() => outdated.peek().forEach((job) => sendAgain(job, options.peek(), options.peek())));
}

/** Requests a result of the smallest size with acceptable quality. */
export function takeLeastBytes(job: Job, leastBytes: number): void {
  // The service found that size at another number of pixels, so the next result may be slightly larger.
  sendAgain(job, { ...job.options, maxBytes: Math.ceil(leastBytes * ROUNDING) }, job.chosen);
}

const ROUNDING = 1.01;

/** The service scales down to at most an eighth of each side; from there it can scale down again. */
const SCALED_TO = 1 / 8;

export function canHaveFewerPixels({ options: { maxDimensionPx } }: Job): boolean {
  return maxDimensionPx === undefined || maxDimensionPx > facts.minDimensionPx;
}

/** Continues below the number of pixels at which the service gave up. */
export async function takeFewerPixels(job: Job): Promise<void> {
  const { width, height } = await createImageBitmap(job.file);
  const longer = Math.min(Math.max(width, height), job.options.maxDimensionPx ?? facts.maxDimensionPx);
  const maxDimensionPx = Math.max(facts.minDimensionPx, Math.floor(longer * SCALED_TO));
  sendAgain(job, { ...job.options, maxDimensionPx }, job.chosen);
}

function sendAgain(job: Job, changed: Options, chosen: Options): void {
  if (isDone(job)) URL.revokeObjectURL(job.state.url);
  forgetSaved(job.id);
  setOptions(job.id, changed, chosen);
  retry(job.id);
}
