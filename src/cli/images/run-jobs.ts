/** Works through a list of images with several at a time, each in a worker process of its own. */
import { lstat } from 'node:fs/promises';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../../compression/domain/dimensions';
import { readImageHeader } from '../../compression/formats/image-header';
import { keepOriginal } from './backup';
import { digestOf, type EarlierResults, type RememberedReport } from './earlier-results';
import { faultOf, isLasting, ofOutput, type Fault } from './file-faults';
import type { Source } from './sources';
import { readWhole, replaceWhole, writeWhole, type WholeFile } from './whole-file';
import type { Workshop } from './workers';

export interface Job {
  readonly source: Source;
  /** Absent when nothing is to be written. */
  readonly output?: { readonly path: string; readonly shown: string };
  /** Where the original stays when the output takes its place. */
  readonly backup?: string;
}

export interface JobEvents {
  began(job: Job): void;
  /** The result, if one is wanted, is in its place. */
  done(job: Job, report: RememberedReport, ms: number): void;
  /** An earlier run has put the same result in its place, or found that there is nothing to gain. */
  upToDate(job: Job, report: RememberedReport, ms: number): void;
  /** Not touched, because it would be scaled down. */
  leftAlone(job: Job, image: LargeImage): void;
  failed(job: Job, fault: Fault & Partial<LargeImage>): void;
}

export interface LargeImage {
  readonly bytes: number;
  /** Upright. */
  readonly dimensions: Dimensions;
}

export interface RunSettings extends Workshop {
  readonly policy: CompressionPolicy;
  /** Leaves files alone that the policy would scale down. */
  readonly leavesLarge: boolean;
  /** What need not be done again; absent when everything is to be. */
  readonly earlier?: EarlierResults | undefined;
}

/** With `signal` aborted, what is in progress is dropped, or finished if it is being written already. */
export async function runJobs(jobs: readonly Job[], settings: RunSettings, events: JobEvents): Promise<void> {
  const waiting = jobs[Symbol.iterator]();
  const hopeless = new AbortController();
  const isInterrupted = () => settings.signal.aborted;
  const lane = async (): Promise<void> => {
    for (const job of waiting) {
      if (isInterrupted() || hopeless.signal.aborted) return;
      let file: WholeFile | undefined;
      events.began(job);
      try {
        file = await readWhole(job.source.path);
        await compressFile(job, file, settings, events);
      } catch (error) {
        if (isInterrupted()) return;
        const fault = faultOf(error);
        if (fault === undefined) throw error;
        if (isLasting(fault)) hopeless.abort();
        events.failed(job, { ...fault, ...(file ? knownOf(file) : {}) });
      }
    }
  };
  await Promise.all(Array.from({ length: settings.lanes }, lane));
}

async function compressFile(
  job: Job,
  file: WholeFile,
  settings: RunSettings,
  events: JobEvents,
): Promise<void> {
  const { runner, policy, signal, earlier } = settings;
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  const { bytes } = file;
  if (settings.leavesLarge) {
    const { dimensions } = readImageHeader(bytes, policy.maxPixels);
    if (!sameSize(dimensions, fitWithin(dimensions, policy))) {
      return events.leftAlone(job, { bytes: bytes.length, dimensions });
    }
  }
  const digest = earlier ? digestOf(bytes) : '';
  const known = earlier?.find(digest);
  if (known && (await isInItsPlace(job, digest, known.resultDigest))) {
    return events.upToDate(job, known.report, elapsed());
  }
  const result = await runner.run(bytes, { policy, signal, deadlineAt: Infinity });
  const { report } = result;
  await deliver(job, file, result.bytes, report.skipReason !== undefined);
  if (earlier) {
    const resultDigest = digestOf(result.bytes);
    await earlier.add(digest, { resultDigest, report });
    if (resultDigest !== digest) {
      await earlier.add(resultDigest, { resultDigest, report: asFinal(report) });
    }
  }
  events.done(job, report, elapsed());
}

async function deliver({ source, output, backup }: Job, file: WholeFile, bytes: Uint8Array, isSame: boolean) {
  if (!output) return;
  if (output.path !== source.path) {
    return writeWhole(output.path, bytes, file.stats).catch(ofOutput(output.shown));
  }
  if (isSame) return;
  const keep = backup === undefined ? undefined : () => keepOriginal(source.path, backup, file);
  return replaceWhole(source.path, bytes, file.stats, keep);
}

/** Whether there is nothing left to do: the output holds the result. Without one, the report is all that is wanted. */
async function isInItsPlace({ source, output }: Job, digest: string, resultDigest: string): Promise<boolean> {
  if (!output) return true;
  if (output.path === source.path) return digest === resultDigest;
  const entry = await lstat(output.path).catch(() => undefined);
  if (!entry?.isFile()) return false;
  const { bytes } = await readWhole(output.path).catch(ofOutput(output.shown));
  return digestOf(bytes) === resultDigest;
}

/** Of a result that is compressed once more: our own results come back as they are. */
function asFinal({ format, compressedSize, dimensions }: RememberedReport): RememberedReport {
  return {
    format,
    originalSize: compressedSize,
    compressedSize,
    bytesSaved: 0,
    skipReason: 'already-optimised',
    score: 1,
    originalDimensions: dimensions,
    dimensions,
  };
}

/** What can be said of a file that could not be compressed. */
function knownOf({ bytes }: WholeFile): Partial<LargeImage> {
  try {
    return { bytes: bytes.length, dimensions: readImageHeader(bytes, Infinity).dimensions };
  } catch {
    return { bytes: bytes.length };
  }
}
