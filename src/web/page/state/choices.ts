import { batch, computed } from '@preact/signals';
import { toQuery, withoutConflicts, type Options } from '../api/options';
import { doneJobs, hasCost, isDeadEnd, jobs, setOptions, type Job } from './jobs';
import { OPTIONS, options } from './options';
import { cancel } from './queue';

export function choose<Name extends keyof Options>(name: Name, value: Options[Name]) {
  const isDefault = value === OPTIONS[name].defaultValue;
  const chosen = { ...options.peek(), [name]: isDefault ? undefined : value };
  chooseAll(withoutConflicts(chosen, OPTIONS.quality.defaultValue));
}

export function chooseAll(chosen: Options) {
  batch(() => {
    options.value = chosen;
    for (const job of jobs.peek()) if (job.state.kind === 'waiting') setOptions(job, chosen);
  });
}

export const outdated = computed(() => {
  const query = toQuery(options.value);
  return jobs.value.filter(
    (job) => job.state.kind !== 'waiting' && !isDeadEnd(job) && toQuery(job.chosen) !== query,
  );
});

export const applyCost = computed(() => outdated.value.filter((job) => hasCost(job, options.value)).length);

export function applyToList() {
  batch(() => outdated.peek().forEach((job) => makeAgain(job, options.peek())));
}

export const photosAsPng = computed(() =>
  doneJobs.value.filter(
    ({ state, result: { report } }) =>
      state.kind === 'done' && (report.jpegEstimate ?? Infinity) < report.compressedSize,
  ),
);

const asJpeg = (job: Job): Options => ({ ...job.options, format: 'jpeg' });

export const jpegCost = computed(() => photosAsPng.value.filter((job) => hasCost(job, asJpeg(job))).length);

export function makeJpegs() {
  batch(() => photosAsPng.peek().forEach((job) => makeAgain(job, asJpeg(job))));
}

export function takeLeastBytes(job: Job, leastBytes: number) {
  // The service found that size at another number of pixels, so the next result may be slightly larger.
  makeAgain(job, { ...job.options, maxBytes: Math.ceil(leastBytes * ROUNDING) });
}

const ROUNDING = 1.01;

function makeAgain(job: Job, wanted: Options) {
  cancel(job.id);
  setOptions(job, wanted);
}
