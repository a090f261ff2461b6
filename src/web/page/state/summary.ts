/** Totals over the list. */
import { computed } from '@preact/signals';
import { facts } from '../api/facts';
import type { Summary } from '../words/list';
import { isScaledToFit } from '../words/results';
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
    progress: all.length > 0 ? all.reduce((total, job) => total + shareOf(job), 0) / all.length : 0,
    originalSize: sum(({ originalSize }) => originalSize),
    bytesSaved: sum(({ bytesSaved }) => bytesSaved),
    costly: doneJobs.value.filter(({ result: { report, options } }) =>
      isScaledToFit(report, options, facts.maxDimensionPx),
    ).length,
  };
});

/** Returns the finished share of the work on one image: half for sending, half for compressing. */
function shareOf(job: Job): number {
  if (hasEnded(job)) return 1;
  if (job.state.kind === 'uploading') return job.state.share / 2;
  return job.state.kind === 'compressing' ? 0.5 : 0;
}
