/** What the bar of choices does: a choice holds for images to come, and for those of the list once it is applied. */
import { batch, computed } from '@preact/signals';
import { queryOf, replacedBy, type Options } from '../api/options';
import { doneJobs, hasCost, isDeadEnd, jobs, setOptions, type Job } from './jobs';
import { OPTIONS, options } from './options';
import { cancel } from './queue';

export function choose<Name extends keyof Options>(name: Name, value: Options[Name]): void {
  const isDefault = value === OPTIONS[name].standard;
  const chosen = { ...options.peek(), [name]: isDefault ? undefined : value };
  chooseAll(isDefault ? chosen : { ...chosen, ...replacedBy(name, chosen) });
}

/** Images that wait take the new options too. */
export function chooseAll(chosen: Options): void {
  batch(() => {
    options.value = chosen;
    for (const job of jobs.peek()) if (job.state.kind === 'waiting') setOptions(job, chosen);
  });
}

/** Images that were made, or are being made, with other options than the current ones. */
export const outdated = computed(() => {
  const query = queryOf(options.value);
  return jobs.value.filter(
    (job) => job.state.kind !== 'waiting' && !isDeadEnd(job) && queryOf(job.chosen) !== query,
  );
});

/** How many images of the account it takes to apply the current options to the list. */
export const applyCost = computed(() => outdated.value.filter((job) => hasCost(job, options.value)).length);

export function applyToList(): void {
  batch(() => outdated.peek().forEach((job) => makeAgain(job, options.peek())));
}

/** Photos in the list that are stored as PNG and would be smaller as JPG. */
export const photosAsPng = computed(() =>
  doneJobs.value.filter(
    ({ state, result: { report } }) =>
      state.kind === 'done' && (report.jpegEstimate ?? Infinity) < report.compressedSize,
  ),
);

export function makeJpegs(): void {
  batch(() => photosAsPng.peek().forEach((job) => makeAgain(job, { ...job.options, format: 'jpeg' })));
}

/** Requests a result of the smallest size with acceptable quality. */
export function takeLeastBytes(job: Job, leastBytes: number): void {
  // The service found that size at another number of pixels, so the next result may be slightly larger.
  makeAgain(job, { ...job.options, maxBytes: Math.ceil(leastBytes * ROUNDING) });
}

const ROUNDING = 1.01;

function makeAgain(job: Job, wanted: Options): void {
  cancel(job.id);
  setOptions(job, wanted);
}
