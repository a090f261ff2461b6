/** Compressing images of the list once more, with other options. */
import { batch, computed } from '@preact/signals';
import { queryOf, type JobOptions } from '../api/options';
import { forgetSaved } from './downloads';
import { isDone, jobs, setOptions, type Job } from './jobs';
import { options } from './options';
import { retry } from './queue';

/** The images that have ended with other options than those chosen now. */
export const outdated = computed(() =>
  jobs.value.filter(
    (job) =>
      (isDone(job) || isOverBudget(job)) &&
      queryOf({ ...job.options, allow: undefined }) !== queryOf(options.value),
  ),
);

export function compressAgain(): void {
  batch(() => outdated.peek().forEach((job) => sendAgain(job, options.peek())));
}

/** Whether nothing of acceptable quality fits into the bytes that were asked for. */
export function isOverBudget({ state }: Job): boolean {
  return state.kind === 'failed' && state.trouble.code === 'budget_unreachable';
}

/** Accepts any quality for the sake of the bytes that were asked for. */
export function allowAny(job: Job): void {
  sendAgain(job, { ...job.options, allow: 'any' });
}

function sendAgain(job: Job, changed: JobOptions): void {
  if (isDone(job)) URL.revokeObjectURL(job.state.url);
  forgetSaved(job.id);
  setOptions(job.id, changed);
  retry(job.id);
}
