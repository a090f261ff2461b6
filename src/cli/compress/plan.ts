/** Where each result goes: decided and checked before anything is written. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { ResultFormats } from '../../contract/result-formats';
import { CliFailure, UsageFault } from '../outcome';
import { codeOf, outputFault } from '../images/file-faults';
import type { Job } from '../images/run-jobs';
import type { Input, Inputs } from '../images/inputs';
import { printable } from '../terminal/printable';

export interface CompressOptions {
  readonly output?: string;
  readonly inPlace?: boolean;
  readonly backup?: string;
  readonly suffix?: string;
  readonly dryRun?: boolean;
  /** The formats that results may have; absent if each keeps the format of its file. */
  readonly formats?: CompressionPolicy['formats'];
}

type PlannedJob = Job & { readonly output: NonNullable<Job['output']> };

/** @throws UsageFault if the command does not say where the results go, or says it twice */
export function checkTarget({ output, inPlace, backup, suffix, dryRun, formats }: CompressOptions): void {
  const refuseIf = (isWrong: unknown, sentence: string) => {
    if (isWrong) throw new UsageFault(sentence);
  };
  const replaces = '--in-place overwrites the files.';
  refuseIf(
    inPlace && formats,
    '--in-place keeps the names of the files, so it cannot change their format. Use -o.',
  );
  refuseIf(inPlace && output !== undefined, `Choose one: -o writes the results elsewhere, ${replaces}`);
  refuseIf(
    inPlace && suffix !== undefined,
    `Choose one: --suffix gives the results other names, ${replaces}`,
  );
  refuseIf(
    !inPlace && backup !== undefined,
    '--backup keeps what --in-place replaces: give both, or leave it out.',
  );
  refuseIf(
    !inPlace && !dryRun && output === undefined && suffix === undefined,
    'Say where the results go: -o FOLDER, --suffix .min beside the files, or --in-place to overwrite them. --dry-run writes nothing.',
  );
}

/** Whether -o names a folder: it takes more than one result, ends like one, is one, or has no extension. */
async function isFolderTarget(
  output: string,
  from: string,
  typed: readonly string[],
  hasFolder: boolean,
): Promise<boolean> {
  if (typed.length > 1 || hasFolder || /[\\/]$/.test(output)) return true;
  return stat(resolve(from, output)).then(
    (entry) => entry.isDirectory(),
    () => extname(output) === '',
  );
}

/**
 * Checks that results can be written to the folder, which may not exist yet, before any image is compressed.
 * @throws CliFailure when a file is in the way, or access is denied
 */
async function checkFolder(folder: string, shown: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
      return await access(path, constants.W_OK);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && path !== dirname(path)) continue;
      const fault = outputFault(error);
      throw fault ? new CliFailure(`${printable(shown)}: ${fault.sentence}`) : error;
    }
  }
}

/** @throws CliFailure if two results, or a result and an input, would be the same file, or if -o cannot be written */
export async function planJobs(
  { images, hasFolder }: Inputs,
  typed: readonly string[],
  options: CompressOptions & { readonly resultFormats: ResultFormats },
  from: string,
): Promise<Job[]> {
  const { output, inPlace, backup, suffix, dryRun, formats, resultFormats } = options;
  if (inPlace && !dryRun) {
    const backupOf = ({ path }: Input) => (backup === undefined ? undefined : path + backup);
    return images.map((input) => ({ input, output: input, backup: backupOf(input) }));
  }
  if (output === undefined && suffix === undefined) return images.map((input) => ({ input }));
  const isFolder = output === undefined || (await isFolderTarget(output, from, typed, hasFolder));
  if (!isFolder && suffix !== undefined) {
    throw new UsageFault(
      'Choose one: -o FILE names the result, --suffix makes its name. -o FOLDER/ takes both.',
    );
  }
  const jobs = images.map((input) => {
    const shown = !isFolder
      ? output
      : suffixed(output === undefined ? input.shown : join(output, input.below), suffix);
    const isRenamed = isFolder && formats !== undefined;
    const path = resolve(from, shown);
    const root = output === undefined ? input.root : isFolder ? resolve(from, output) : dirname(path);
    return { input, output: { shown, path, root, isRenamed } };
  });
  const other = formats?.find((format) => format !== 'same');
  refuseCollisions(jobs, other && resultFormats.of(other).extensions[0]);
  if (isFolder && output !== undefined && !dryRun && jobs.length > 0) {
    await checkFolder(resolve(from, output), output);
  }
  return dryRun ? images.map((input) => ({ input })) : jobs;
}

function suffixed(name: string, suffix = ''): string {
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)}${suffix}${extension}`;
}

/** @param extension that renamed results may have */
function refuseCollisions(jobs: readonly PlannedJob[], extension: string | undefined): void {
  // On other systems, names that differ in case may be the same file.
  const key = (path: string) => (process.platform === 'linux' ? path : path.toLowerCase());
  const inputs = new Set(jobs.map(({ input }) => key(input.path)));
  const takenBy = new Map<string, string>();
  for (const { input, output } of jobs) {
    const place = key(output.path);
    const stem = (path: string) => path.slice(0, path.length - extname(input.path).length);
    // photo.jpg and photo.png may both become photo.avif.
    const name = output.isRenamed ? stem(place) : place;
    if (inputs.has(place)) {
      throw new CliFailure(
        `${printable(output.shown)} would be overwritten. Choose another folder, or use --in-place to overwrite it.`,
      );
    }
    const first = takenBy.get(name);
    if (first !== undefined) {
      const both = `${printable(first)} and ${printable(input.shown)}`;
      throw new CliFailure(
        output.isRenamed && extension !== undefined
          ? `${both} would both be written to ${printable(stem(output.shown))}.${extension}. Rename one of them, or run the command once for each with another -o.`
          : `${both} would both be written to ${printable(output.shown)}. Give the folder above them, or run the command once for each.`,
      );
    }
    takenBy.set(name, input.shown);
  }
}
