/** Where each result goes: decided and checked before anything is written. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliFailure, UsageFault } from '../exit';
import type { Job } from '../images/run-jobs';
import type { Sources } from '../images/sources';
import { printable } from '../terminal/printable';

export interface CompressOptions {
  readonly output?: string;
  readonly inPlace?: boolean;
  readonly backup?: string;
  readonly dryRun?: boolean;
}

type PlannedJob = Required<Pick<Job, 'source' | 'output'>>;

/** @throws UsageFault when it is not said, or said twice, where the results go */
export function checkTarget({ output, inPlace, backup, dryRun }: CompressOptions): void {
  if (output !== undefined && inPlace) {
    throw new UsageFault(
      'Choose one: -o writes the results elsewhere, --in-place over the files themselves.',
    );
  }
  if (backup !== undefined && !inPlace) {
    throw new UsageFault('--backup keeps what --in-place replaces: give both, or leave it away.');
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
  const { output, inPlace, backup, dryRun } = options;
  if (inPlace && !dryRun) {
    return images.map((source) => ({
      source,
      output: { path: source.path, shown: source.shown },
      ...(backup === undefined ? {} : { backup: source.path + backup }),
    }));
  }
  if (output === undefined) return images.map((source) => ({ source }));
  const isFolder = await isFolderTarget(output, from, typed, hasFolder);
  const jobs = images.map((source) => {
    const shown = isFolder ? join(output, source.below) : output;
    return { source, output: { shown, path: resolve(from, shown) } };
  });
  refuseCollisions(jobs);
  return dryRun ? images.map((source) => ({ source })) : jobs;
}

function refuseCollisions(jobs: readonly PlannedJob[]): void {
  // Elsewhere two spellings may be one file.
  const key = (path: string) => (process.platform === 'linux' ? path : path.toLowerCase());
  const sources = new Set(jobs.map(({ source }) => key(source.path)));
  const takenBy = new Map<string, string>();
  for (const { source, output } of jobs) {
    const place = key(output.path);
    if (sources.has(place)) {
      throw new CliFailure(
        `${printable(output.shown)} would be overwritten: choose another folder, or --in-place if that is what you want.`,
      );
    }
    const other = takenBy.get(place);
    if (other !== undefined) {
      throw new CliFailure(
        `${printable(other)} and ${printable(source.shown)} would both be written to ${printable(output.shown)}: give the folder above them, or do one after the other.`,
      );
    }
    takenBy.set(place, source.shown);
  }
}
