import { computed, effect } from '@preact/signals';
import { facts } from '../api/facts';
import { titleWords, type Summary } from '../words/list';
import { isScaledToFit } from '../words/results';
import { savedUrls } from './downloads';
import { doneJobs, hasEnded, isDone, jobs, type Job } from './jobs';

export const summary = computed((): Summary => {
  const all = jobs.value;
  const reports = doneJobs.value.map(({ result }) => result.report);
  const sum = (value: (report: (typeof reports)[number]) => number) =>
    reports.reduce((total, report) => total + value(report), 0);
  return {
    total: all.length,
    done: doneJobs.value.filter(hasEnded).length,
    unchanged: reports.filter(({ skipReason }) => skipReason !== undefined).length,
    failed: all.filter((job) => job.state.kind === 'failed' && !isDone(job)).length,
    isFinished: all.every(hasEnded),
    progress: all.length > 0 ? all.reduce((total, job) => total + estimateProgress(job), 0) / all.length : 0,
    originalSize: sum(({ originalSize }) => originalSize),
    bytesSaved: sum(({ bytesSaved }) => bytesSaved),
    costly: doneJobs.value.filter(({ result: { report, options } }) =>
      isScaledToFit(report, options, facts.maxDimensionPx),
    ).length,
  };
});

/** Half for sending, half for compressing. */
function estimateProgress(job: Job) {
  if (hasEnded(job)) return 1;
  if (job.state.kind === 'uploading') return job.state.share / 2;
  return job.state.kind === 'compressing' ? 0.5 : 0;
}

export const hasUnsavedResults = computed(
  () =>
    doneJobs.value.some(
      ({ result: { report, url } }) => report.skipReason === undefined && !savedUrls.value.has(url),
    ) || !summary.value.isFinished,
);

export function followTab() {
  const name = document.title;
  effect(() => void (document.title = titleWords(summary.value, name)));
  // Only while needed: the browser's back button does not keep pages with this listener.
  effect(() => {
    if (!hasUnsavedResults.value) return;
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  });
}

/** The browser asks in its own words. Chrome before 119 asks only for the value. */
function askFirst(event: BeforeUnloadEvent) {
  event.preventDefault();
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  event.returnValue = true;
}
