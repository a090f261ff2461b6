/** Where each result goes; found out, and found to be possible, before anything is written. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliFailure, UsageFault } from '../exit';
import type { Source, Sources } from './sources';

export interface CompressOptions {
  readonly output?: string;
  readonly inPlace?: boolean;
  readonly dryRun?: boolean;
}

export interface Job {
  readonly source: Source;
  /** Absent when nothing is to be written. */
  readonly output?: { readonly path: string; readonly shown: string };
}

/** @throws UsageFault when it is not said, or said twice, where the results go */
export function checkTarget({ output, inPlace, dryRun }: CompressOptions): void {
  if (output !== undefined && inPlace) {
    throw new UsageFault(
      'Choose one: -o writes the results elsewhere, --in-place over the files themselves.',
    );
  }
  if (output === undefined && !inPlace && !dryRun) {
    throw new UsageFault(
      'Say where the results go: -o FOLDER, or --in-place to overwrite the files themselves (--dry-run writes nothing).',
    );
  }
}

/** Whether -o names a folder: it ends like one, is one, or has to take more than one result. */
async function isFolderTarget(
  output: string,
  from: string,
  typed: readonly string[],
  hasFolder: boolean,
): Promise<boolean> {
  if (typed.length > 1 || hasFolder || /[\\/]$/.test(output)) return true;
  return stat(resolve(from, output)).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** @throws CliFailure when two results, or a result and a source, would be the same file */
export async function planJobs(
  { images, hasFolder }: Sources,
  typed: readonly string[],
  options: CompressOptions,
  from: string,
): Promise<Job[]> {
  const { output, inPlace } = options;
  if (inPlace) {
    return images.map((source) => ({ source, output: { path: source.path, shown: source.shown } }));
  }
  if (output === undefined) return images.map((source) => ({ source }));
  const isFolder = await isFolderTarget(output, from, typed, hasFolder);
  const jobs = images.map((source) => {
    const shown = isFolder ? join(output, source.below) : output;
    return { source, output: { shown, path: resolve(from, shown) } };
  });
  refuseCollisions(jobs);
  return jobs;
}

function refuseCollisions(jobs: readonly Required<Job>[]): void {
  // Elsewhere two spellings may be one file.
  const key = (path: string) => (process.platform === 'linux' ? path : path.toLowerCase());
  const sources = new Set(jobs.map(({ source }) => key(source.path)));
  const takenBy = new Map<string, string>();
  for (const { source, output } of jobs) {
    const place = key(output.path);
    if (sources.has(place)) {
      throw new CliFailure(
        `${output.shown} would be overwritten: choose another folder, or --in-place if that is what you want.`,
      );
    }
    const other = takenBy.get(place);
    if (other !== undefined) {
      throw new CliFailure(
        `${other} and ${source.shown} would both be written to ${output.shown}: give the folder above them, or do one after the other.`,
      );
    }
    takenBy.set(place, source.shown);
  }
}
