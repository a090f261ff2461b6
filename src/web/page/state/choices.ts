import { batch, computed, type ReadonlySignal } from '@preact/signals';
import { toQuery, withoutConflicts, type Options } from '../api/options';
import { doneJobs, hasCost, isDeadEnd, jobs, setOptions, type Job } from './jobs';
import { scarcityWords } from '../words/list';
import { trial } from './credentials';
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

/** Images of the list that may be made again. @param wanted the options that an image gets */
function remaking<Image extends Job>(
  images: ReadonlySignal<readonly Image[]>,
  wanted: (image: Image) => Options,
) {
  return {
    images,
    /** What it takes of a trial, in words; undefined if there is plenty. */
    scarcity: computed(() => {
      const paid = images.value.filter((job) => hasCost(job, wanted(job)));
      return scarcityWords(paid.length, trial.value?.imagesLeft);
    }),
    make: () => batch(() => images.peek().forEach((job) => makeAgain(job, wanted(job)))),
  };
}

const outdated = computed(() => {
  const query = toQuery(options.value);
  return jobs.value.filter(
    (job) => job.state.kind !== 'waiting' && !isDeadEnd(job) && toQuery(job.chosen) !== query,
  );
});

export const byNewOptions = remaking(outdated, () => options.value);

const photosAsPng = computed(() =>
  doneJobs.value.filter(
    ({ state, result: { report } }) =>
      state.kind === 'done' && (report.jpegEstimate ?? Infinity) < report.compressedSize,
  ),
);

export const asJpegs = remaking(photosAsPng, (job) => ({ ...job.options, format: 'jpeg' }));

export function takeLeastBytes(job: Job, leastBytes: number) {
  // The service found that size at another number of pixels, so the next result may be slightly larger.
  makeAgain(job, { ...job.options, maxBytes: Math.ceil(leastBytes * ROUNDING) });
}

const ROUNDING = 1.01;

function makeAgain(job: Job, wanted: Options) {
  cancel(job.id);
  setOptions(job, wanted);
}
