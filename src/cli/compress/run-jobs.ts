/** Works through a plan with several images at a time, each in a worker process of its own. */
import type { CompressionRunner } from '../../compression/application/compression-runner.port';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { CompressionReport } from '../../compression/domain/compression-report';
import { isLasting, sentenceFor } from './file-faults';
import type { Job } from './plan';
import { readWhole, replaceWhole, writeWhole } from './whole-file';

export interface JobEvents {
  /** The result, if one is wanted, is in its place. */
  done(job: Job, report: CompressionReport, ms: number): void;
  failed(job: Job, sentence: string): void;
}

export interface RunSettings {
  readonly runner: CompressionRunner;
  readonly policy: CompressionPolicy;
  readonly lanes: number;
  /** Aborted: what is in work is dropped, or finished if it is being written already; the rest is not begun. */
  readonly signal: AbortSignal;
}

export async function runJobs(jobs: readonly Job[], settings: RunSettings, events: JobEvents): Promise<void> {
  const waiting = jobs[Symbol.iterator]();
  const hopeless = new AbortController();
  const isInterrupted = () => settings.signal.aborted;
  const lane = async (): Promise<void> => {
    for (const job of waiting) {
      if (isInterrupted() || hopeless.signal.aborted) return;
      try {
        const start = performance.now();
        const report = await compressFile(job, settings);
        events.done(job, report, Math.round(performance.now() - start));
      } catch (error) {
        if (isInterrupted()) return;
        const sentence = sentenceFor(error);
        if (sentence === undefined) throw error;
        if (isLasting(error)) hopeless.abort();
        events.failed(job, sentence);
      }
    }
  };
  await Promise.all(Array.from({ length: settings.lanes }, lane));
}

async function compressFile({ source, output }: Job, settings: RunSettings): Promise<CompressionReport> {
  const { runner, policy, signal } = settings;
  const { bytes, stats } = await readWhole(source.path);
  const result = await runner.run(bytes, { policy, signal, deadlineAt: Infinity });
  const isInPlace = output?.path === source.path;
  if (isInPlace && !result.report.skipReason) await replaceWhole(source.path, result.bytes, stats);
  else if (output && !isInPlace) await writeWhole(output.path, result.bytes, stats);
  return result.report;
}
