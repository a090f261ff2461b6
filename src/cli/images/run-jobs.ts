/**
 * Compresses a list of images, several at a time, and writes each result where its job says. One image that
 * fails does not stop the others; a full disk does.
 */
import { basename, dirname, join } from 'node:path';
import type { Formats, ResultFormatName } from '../../contract/formats';
import type { RemovedData } from '../../contract/report-words';
import { userPath } from '../../environment/settings-slice';
import { lstat } from 'node:fs/promises';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { CompressedImage } from '../../compression/domain/compression-report';
import { fitWithin, sameSize, type Dimensions } from '../../compression/domain/dimensions';
import { neededAmong } from '../../compression/formats/embedded-data';
import { neededData, readSource } from '../../compression/formats/image-header';
import { FileFault, findCode } from '../../files/file-fault';
import {
  keepOriginal,
  readWhole,
  replaceWhole,
  writeWhole,
  type Sources,
  type WholeFile,
  type Writing,
} from '../../files/whole-file';
import { withinFolder } from '../../files/within-folder';
import { computeDigest, type RememberedReport } from './earlier-results';
import { failOutput, type Fault } from './file-faults';
import { isLfsPointer, LFS_SENTENCE } from './sniff';
import type { Input } from './inputs';
import { inLanes, type WorkerHandle } from './workers';

interface Output {
  readonly path: string;
  readonly root: string;
  readonly shown: string;
  /** Returns `shown` with an extension of the format of the result. Absent if the user chose the name. */
  readonly nameFor?: (format: ResultFormatName) => string;
  /** What the result is, if the extension is not that of the input. */
  readonly isNow?: string;
}

/** An image, and what becomes of it. Without an output, only the report is wanted. */
export interface Job {
  readonly input: Input;
  readonly output?: Output | undefined;
  /** Where the original is kept when the result replaces it. */
  readonly backup?: string | undefined;
  readonly policy?: CompressionPolicy | undefined;
}

/** A file that stays as it is, because a rewrite would change more than its bytes. `removed`: the data that it would lose. */
export interface LeftAlone {
  readonly reason: 'would-be-scaled' | 'would-lose-data' | 'would-change-format';
  readonly removed?: readonly RemovedData[];
  readonly bytes: number;
  /** The label of the format that it would have. */
  readonly becomes?: string;
  /** Upright. */
  readonly dimensions: Dimensions;
}

/** `isUpToDate`: an earlier run wrote the same result, or found nothing to gain. */
export type JobOutcome =
  | { readonly report: RememberedReport; readonly ms: number; readonly isUpToDate: boolean }
  | { readonly leftAlone: LeftAlone }
  | { readonly fault: Fault };

type OnOutcome = (job: Job, outcome: JobOutcome) => void;

interface RunSettings extends WorkerHandle {
  /** Whether images that would be scaled down are left alone. */
  readonly leavesLarge: boolean;
  /** Whether images that would lose data, which programs read, are left alone. */
  readonly leavesData: boolean;
  /** Whether files are left alone whose result has another format. */
  readonly keepsFormat: boolean;
  /** Files that no output may replace. */
  readonly sources: Sources;
}

/** After an abort, only images that are already being written are finished. */
export function runJobs(jobs: readonly Job[], settings: RunSettings, onOutcome: OnOutcome): Promise<void> {
  const compress = (job: Job) => compressFile(job, settings, onOutcome);
  return inLanes(jobs, settings, compress, (job, fault) => onOutcome(job, { fault }));
}

async function compressFile(job: Job, run: RunSettings, onOutcome: OnOutcome) {
  const settings = job.policy ? underPolicy(run, job.policy) : run;
  const { policy, knownFormats, earlier } = settings;
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  const file = await withinFolder(job.input.root, job.input.path, readWhole);
  const { bytes } = file;
  if (isLfsPointer(bytes)) throw new FileFault('lfs_pointer', LFS_SENTENCE);
  const digest = earlier ? computeDigest(bytes) : '';
  const known = earlier?.find(digest);
  const stays =
    leftAloneByHeader(settings, bytes) ?? (known && leftAloneByReport(settings, bytes, known.report));
  if (stays) return onOutcome(job, { leftAlone: stays });
  if (known && (await isInItsPlace(named(job, known.report, knownFormats), digest, known.resultDigest))) {
    return onOutcome(job, { report: known.report, ms: elapsed(), isUpToDate: true });
  }
  const result = await settings.run({ kind: 'compress', image: bytes, policy });
  const { report } = result;
  const written = named(job, report, knownFormats);
  const leftAlone = leftAloneByReport(settings, bytes, report);
  if (!leftAlone) await deliver(written, file, result, settings.sources);
  if (earlier) {
    const resultDigest = computeDigest(result.bytes);
    await earlier.add(digest, { resultDigest, report });
    if (resultDigest !== digest) {
      await earlier.add(resultDigest, { resultDigest, report: asFinal(report) });
    }
  }
  onOutcome(written, leftAlone ? { leftAlone } : { report, ms: elapsed(), isUpToDate: false });
}

function underPolicy(run: RunSettings, policy: CompressionPolicy): RunSettings {
  const isScaling = policy.maxDimensionPx !== run.policy.maxDimensionPx;
  return { ...run, policy, leavesLarge: run.leavesLarge && !isScaling, earlier: run.earlier?.under(policy) };
}

/** Before it is compressed. Of an upload that becomes pixels first, the report tells the same. */
function leftAloneByHeader(run: RunSettings, bytes: Uint8Array): LeftAlone | undefined {
  const { leavesLarge, leavesData, policy, knownFormats } = run;
  if ((!leavesLarge && !leavesData) || knownFormats.decodedUpload(bytes)) return undefined;
  const source = readSource(bytes, policy.maxPixels);
  const removed = leavesData ? neededData(source, policy.keepMetadata) : [];
  return leftAloneUnlessAsked(run, { bytes: bytes.length, dimensions: source.dimensions }, removed);
}

function leftAloneByReport(
  run: RunSettings,
  bytes: Uint8Array,
  { format, originalDimensions: dimensions, removed = [] }: RememberedReport,
): LeftAlone | undefined {
  const { leavesData, keepsFormat, knownFormats } = run;
  const image = { bytes: bytes.length, dimensions };
  const lost = leavesData && knownFormats.decodedUpload(bytes) ? neededAmong(removed) : [];
  const stays = leftAloneUnlessAsked(run, image, lost);
  if (stays || !keepsFormat || format === knownFormats.ofUpload(bytes)) return stays;
  return { ...image, reason: 'would-change-format', becomes: knownFormats.of(format).label };
}

/** @param removed needed data that a rewrite would lose */
function leftAloneUnlessAsked(
  { leavesLarge, policy }: RunSettings,
  image: Pick<LeftAlone, 'bytes' | 'dimensions'>,
  removed: readonly RemovedData[],
): LeftAlone | undefined {
  if (leavesLarge && !sameSize(image.dimensions, fitWithin(image.dimensions, policy)))
    return { ...image, reason: 'would-be-scaled' };
  return removed.length > 0 ? { ...image, reason: 'would-lose-data', removed } : undefined;
}

function named(job: Job, { format }: RememberedReport, formats: Formats) {
  const { output } = job;
  const shown = output?.nameFor?.(format);
  if (!output || shown === undefined || shown === output.shown) return job;
  const path = userPath(shown);
  return { ...job, output: { ...output, path, shown, isNow: formats.of(format).label } };
}

async function deliver(
  { input, output, backup }: Job,
  file: WholeFile,
  { bytes, report }: CompressedImage,
  sources: Sources,
) {
  if (!output) return;
  if (output.path !== input.path) {
    return writeResult(output, bytes, { like: file.stats, sources });
  }
  if (report.skipReason !== undefined) return;
  return withinFolder(input.root, input.path, (path) => {
    const copy = backup === undefined ? undefined : join(dirname(path), basename(backup));
    const keep = copy === undefined ? undefined : () => keepOriginal(copy, file);
    return replaceWhole(path, bytes, file.stats, keep);
  });
}

/** Writes a result with the times, mode and owner of its original. Creates missing folders. */
export function writeResult({ root, path, shown }: Output, bytes: Uint8Array, writing: Writing) {
  const write = (place: string) => writeWhole(place, bytes, writing);
  return withinFolder(root, path, write, true).catch(failOutput(shown));
}

async function isInItsPlace({ input, output }: Job, digest: string, resultDigest: string) {
  if (!output) return true;
  if (output.path === input.path) return digest === resultDigest;
  return isResultAt(output, resultDigest);
}

export async function isResultAt({ root, path, shown }: Output, resultDigest: string): Promise<boolean> {
  const isResult = async (place: string) => {
    if (!(await lstat(place)).isFile()) return false;
    return computeDigest((await readWhole(place)).bytes) === resultDigest;
  };
  return withinFolder(root, path, isResult).catch((error: unknown) => {
    if (findCode(error) === 'ENOENT') return false;
    return failOutput(shown)(error);
  });
}

/** The report of compressing a result again. */
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
