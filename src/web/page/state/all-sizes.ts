/** The sizes of one image with several options, found one after the other. The result that is shown stays. */
import { effect, signal } from '@preact/signals';
import { queryOf, type Options } from '../api/options';
import { findJob, hasEnded, jobs, setAside, setOptions, type DoneJob, type Job } from './jobs';
import { cancel } from './queue';

/** Results that cannot be made, such as a JPG of an image with transparency. */
const refused = signal<ReadonlySet<string>>(new Set());

export function isRefused(job: Job, asked: Options): boolean {
  return refused.value.has(nameOf(job.id, asked));
}

/** Whether the result with these options is being made. */
export function isBeingMade(job: Job, asked: Options): boolean {
  return !hasEnded(job) && queryOf(job.options) === queryOf(asked);
}

/** Makes the results that are missing. Ends early if the visitor chooses another one, or the service is not there. */
export async function makeAll({ id, result }: DoneJob, all: readonly Options[]): Promise<void> {
  for (const asked of all) {
    const job = findJob(id);
    if (!job) return;
    cancel(id);
    setAside(job, asked);
    const state = (await endOf(id, asked))?.state;
    if (!state || (state.kind === 'failed' && !state.isFinal)) return;
    if (state.kind === 'failed') refused.value = new Set([...refused.value, nameOf(id, asked)]);
  }
  const job = findJob(id);
  if (job) setOptions(job, result.options, job.chosen);
}

/** Resolves to the image once the result is there or refused; to undefined if another one was chosen meanwhile. */
function endOf(id: number, asked: Options): Promise<Job | undefined> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      const job = jobs.value.find((one) => one.id === id);
      const isCurrent = job?.options === asked;
      if (isCurrent && !hasEnded(job)) return;
      queueMicrotask(() => {
        stop();
        resolve(isCurrent ? job : undefined);
      });
    });
  });
}

function nameOf(id: number, asked: Options): string {
  return `${id}${queryOf(asked)}`;
}
