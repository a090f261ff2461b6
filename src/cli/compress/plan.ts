/**
 * Where each result goes, and in which format: decided and checked before the first image is compressed, so
 * that a long run does not end at its last file.
 */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import { extensionOf, namedAs, type Formats, type ResultFormatName } from '../../contract/formats';
import { userPath } from '../../environment/settings-slice';
import type { ImageSettings } from '../options';
import { CliFailure, UsageFault } from '../outcome';
import { findCode } from '../../files/file-fault';
import { isAmong, type Sources } from '../../files/whole-file';
import { failCommand } from '../images/file-faults';
import type { Job } from '../images/run-jobs';
import type { Input, Inputs } from '../images/inputs';
import { printable } from '../report/printable';

export interface TargetOptions {
  readonly output?: string;
  readonly inPlace?: boolean;
  readonly backup?: string;
  readonly suffix?: string;
  readonly dryRun?: boolean;
}

type PlannedJob = Job & { readonly output: NonNullable<Job['output']> };

/** @throws UsageFault if the command does not say where results go, or says it twice */
export function checkTarget(
  { output, inPlace, backup, suffix, dryRun }: TargetOptions,
  { formats }: CompressionPolicy,
  knownFormats: Formats,
): void {
  const replaces = '--in-place overwrites the files.';
  const rules = [
    [
      inPlace && formats,
      '--in-place keeps the names of the files, so it cannot change their format. Use -o.',
    ],
    [inPlace && output !== undefined, `Choose one: -o writes the results elsewhere, ${replaces}`],
    [inPlace && suffix !== undefined, `Choose one: --suffix gives the results other names, ${replaces}`],
    [
      !inPlace && backup !== undefined,
      '--backup keeps what --in-place replaces: give both, or leave it out.',
    ],
    [
      knownFormats.namedUpload(`x${backup}`) !== undefined,
      `--backup ${backup} must not end like the name of an image: the next run would compress the backup.`,
    ],
    [
      !inPlace && !dryRun && output === undefined && suffix === undefined,
      'Say where the results go: -o FOLDER, --suffix .min beside the files, or --in-place to overwrite them. --dry-run writes nothing.',
    ],
  ] as const;
  for (const [isBroken, sentence] of rules) if (isBroken) throw new UsageFault(sentence);
}

/** -o names a folder if it takes several results, ends like one, is one, or has no extension. @throws UsageFault */
export async function findFileTarget(
  { output, suffix }: TargetOptions,
  typed: readonly string[],
  { hasFolder }: Inputs,
): Promise<string | undefined> {
  if (output === undefined || typed.length > 1 || hasFolder || /[\\/]$/.test(output)) return undefined;
  const isFolder = await stat(userPath(output)).then(
    (entry) => entry.isDirectory(),
    () => extname(output) === '',
  );
  if (isFolder) return undefined;
  if (suffix === undefined) return output;
  throw new UsageFault(
    'Choose one: -o FILE names the result, --suffix makes its name. -o FOLDER/ takes both.',
  );
}

/** The extension of a result chooses the format. @throws UsageFault if it names none, or --format names others */
export function applyExtension(
  file: string | undefined,
  settings: ImageSettings,
  format?: string,
): ImageSettings {
  const { policy, knownFormats } = settings;
  const extension = extensionOf(file ?? '');
  if (file === undefined || extension === '') return settings;
  const own = knownFormats.byExtension(extension);
  if (own === undefined) {
    const others = knownFormats.facts.map(({ extensions }) => `.${extensions[0]}`).join(', ');
    throw new UsageFault(
      `${printable(`${file}: ${extension.toUpperCase()}`)} cannot be written. Use ${others}, or end the name of a folder with a slash.`,
    );
  }
  const accepted = policy.formats ?? ['same'];
  if (format !== undefined && !accepted.includes(own) && !accepted.includes('same')) {
    const { label } = knownFormats.of(own);
    throw new UsageFault(`Choose one: ${printable(file)} is named like ${label}, and --format is ${format}.`);
  }
  return { ...settings, policy: { ...policy, formats: [own] } };
}

/** The folder may not exist yet. @throws CliFailure */
async function checkFolder(folder: string, shown: string) {
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
      return await access(path, constants.W_OK);
    } catch (error) {
      if (findCode(error) === 'ENOENT' && path !== dirname(path)) continue;
      return failCommand(shown)(error);
    }
  }
}

/** @throws CliFailure if two results, or a result and an input, would be the same file, or -o cannot be written */
export async function planJobs(
  { images, sources }: Inputs,
  file: string | undefined,
  { output, inPlace, backup, suffix, dryRun }: TargetOptions,
  { policy, knownFormats }: ImageSettings,
): Promise<Job[]> {
  if (inPlace && !dryRun) {
    return images.map((input) => ({
      input,
      output: input,
      backup: backup === undefined ? undefined : input.path + backup,
    }));
  }
  if (output === undefined && suffix === undefined) return images.map((input) => ({ input }));
  const jobs = images.map((input) => {
    const name = output === undefined ? input.shown : join(output, input.below);
    const shown = file ?? withSuffix(name, suffix);
    const path = userPath(shown);
    if (file !== undefined) return { input, output: { shown, path, root: dirname(path) } };
    // A name without an extension is not wrong.
    const hasNoExtension = extensionOf(name) === '';
    const nameFor = (format: ResultFormatName) =>
      hasNoExtension && format === input.format
        ? shown
        : withSuffix(namedAs(name, knownFormats.of(format)), suffix);
    const root = output === undefined ? input.root : userPath(output);
    return { input, output: { shown, path, root, nameFor } };
  });
  await refuseSources(jobs, sources);
  refuseCollisions(jobs, ({ format }) => possibleFormats(format, policy, knownFormats));
  if (file === undefined && output !== undefined && !dryRun && jobs.length > 0) {
    await checkFolder(userPath(output), output);
  }
  return dryRun ? images.map((input) => ({ input })) : jobs;
}

function withSuffix(name: string, suffix = '') {
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)}${suffix}${extension}`;
}

/** Also if the folder of results leads to the images by another name. */
async function refuseSources(jobs: readonly PlannedJob[], sources: Sources) {
  for (const { output } of jobs) {
    if (!(await isAmong(sources, output.path))) continue;
    throw new CliFailure(
      `${printable(output.shown)} would be overwritten. Choose another folder, or use --in-place to overwrite it.`,
    );
  }
}

/** Of the results of an upload; `same` of a package's upload may also be JPG or PNG. */
function possibleFormats(
  own: ResultFormatName | undefined,
  { formats = ['same'] }: CompressionPolicy,
  knownFormats: Formats,
): ResultFormatName[] {
  if (own === undefined) return [];
  const ofSame = knownFormats.of(own).upload ? [own] : ['jpeg', 'png', own];
  return formats.flatMap((format) => (format === 'same' ? ofSame : format));
}

function refuseCollisions(
  jobs: readonly PlannedJob[],
  formatsOf: (input: Input) => readonly ResultFormatName[],
) {
  // On other systems, names that differ in case may be the same file.
  const key = (path: string) => (process.platform === 'linux' ? path : path.toLowerCase());
  const takenBy = new Map<string, Input>();
  for (const { input, output } of jobs) {
    const { shown, nameFor = () => shown } = output;
    // photo.jpg and photo.png may both become photo.webp.
    for (const name of new Set(formatsOf(input).map(nameFor))) {
      const place = key(userPath(name));
      const first = takenBy.get(place);
      takenBy.set(place, input);
      if (first === undefined || first === input) continue;
      const isOneName = key(first.below) === key(input.below);
      throw new CliFailure(
        `${printable(first.shown)} and ${printable(input.shown)} would both be written to ${printable(name)}. ` +
          (isOneName
            ? 'Give the folder above them, or run the command once for each.'
            : 'Rename one of them, or run the command once for each with another -o.'),
      );
    }
  }
}
