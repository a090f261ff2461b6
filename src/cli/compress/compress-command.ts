/**
 * `ics compress`: applies the recipes of the service to local files. Results are written whole or not at all,
 * and originals are never touched without --in-place.
 */
import { UPLOADS, type Formats } from '../../contract/formats';
import { notAnImage } from '../../contract/image-problems';
import type { Command } from 'commander';
import {
  addSharedOptions,
  settingsWith,
  suffixLike,
  type ImageSettings,
  type OutputOptions,
  type SettingOptions,
} from '../options';
import { CliFailure, UsageFault } from '../outcome';
import { runJobs } from '../images/run-jobs';
import { findInputs, isBelow, isResult, type Inputs } from '../images/inputs';
import { withWorkers, type WorkerHandle } from '../images/workers';
import { paint, asText, failureEntry } from '../report/output';
import { Reporter } from '../report/reporter';
import { asSize } from '../report/totals';
import { COMPRESS_HELP } from '../help';
import { checkTarget, findFileTarget, planJobs, applyExtension, type TargetOptions } from './plan';
import { fstatSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { userPath } from '../../environment/settings-slice';
import { describeFault, failOutput } from '../images/file-faults';
import { fileId, isAmong, writeWhole, type Sources } from '../../files/whole-file';
import { resultEntry } from '../report/entries';
import { printable, printableJson } from '../report/printable';

interface Options extends StreamOptions {
  readonly force?: boolean;
  readonly dropLayers?: boolean;
  readonly recursive: boolean;
}

export function addCompressCommand(program: Command): void {
  const command = program
    .command('compress <images...>')
    .description(`compress ${UPLOADS.and} files, folders of them, or patterns such as "photos/**/*.jpg"`)
    .option(
      '-o, --output <path>',
      'file, whose extension chooses the format, or folder to write to; sub-folders are kept; - is standard output',
    )
    .option(
      '--in-place',
      'overwrite the files; those that would be scaled down are left alone unless --max-dimension is given',
    )
    .option(
      '--backup <suffix>',
      'with --in-place: keep each original beside its result, with this suffix',
      suffixLike('.orig'),
    )
    .option(
      '--drop-layers',
      'with --in-place: also compress images that lose data which programs read, such as layers or temperatures',
    )
    .option(
      '--suffix <text>',
      'put this before the extension of each result, such as .min; without -o, results go beside the files',
      suffixLike('.min'),
    )
    .option('-n, --dry-run', 'do all the work but write nothing')
    .option('-r, --recursive', 'search folders with their sub-folders', true)
    .option('--no-recursive', 'do not search sub-folders');
  addSharedOptions(command)
    .option('--quiet', 'print only failures')
    .addHelpText('after', COMPRESS_HELP)
    .action(compress);
}

async function compress(typed: string[], given: Options) {
  const options = (await isStandardOutput(given.output)) ? { ...given, output: '-' } : given;
  const asked = settingsWith(options);
  // Standard input or output takes part; all messages then go to standard error.
  if (typed.includes('-') || options.output === '-') {
    const work = compressStream(typed, options, applyExtension(options.output, asked, options.format));
    return withWorkers(asked, 1, work);
  }
  const { policy, knownFormats: formats } = asked;
  checkTarget(options, policy, formats);
  const { recursive: isRecursive, output, suffix, inPlace = false, dropLayers = false } = options;
  const isLeftOut = (path: string, folder?: string) =>
    output === undefined
      ? folder !== undefined && suffix !== undefined && isResult(path, suffix, formats)
      : isBelow(output, path, folder);
  const inputs = await findInputs(typed, { formats, isRecursive, isLeftOut });
  const file = await findFileTarget(options, typed, inputs);
  const settings = applyExtension(file, asked, options.format);
  const jobs = await planJobs(inputs, file, options, settings);
  const { json: isJson = false, quiet: isQuiet = false, color } = options;
  const reporter = new Reporter({ inputs, settings, form: isJson ? 'json' : 'text', isQuiet, color });
  const total = jobs.length + inputs.faults.length;
  const isAllAgain = options.force === true || options.dryRun === true;
  const leavesLarge = inPlace && options.maxDimension === undefined;
  const leavesData = inPlace && !dropLayers;

  const work = async (workers: WorkerHandle) => {
    const run = { ...workers, leavesLarge, leavesData, keepsFormat: inPlace, sources: inputs.sources };
    await runJobs(jobs, run, reporter.record).finally(() => reporter.stop());
    const { files } = reporter;
    const { failures } = reporter.output;
    const isList = total !== 1 || (isJson ? inputs.hasFolder : inputs.passedOver + inputs.backups > 0);
    if (!isQuiet && isList && (files > 0 || total === 0)) {
      if (isJson) reporter.printTotals();
      else summarise(reporter, inputs, formats, options);
    }
    if (workers.signal.aborted) {
      process.stderr.write(
        `Interrupted: ${files} of ${total} done. Run the same command again for the rest.\n`,
      );
    } else if (failures + files < total) {
      throw new CliFailure(`Stopped: ${total - files} of ${total} could not be compressed.`);
    } else if (failures > 0) throw new CliFailure(`${failures} of ${total} could not be compressed.`);
  };
  await withWorkers(settings, jobs.length, work, isAllAgain);
}

function summarise(
  reporter: Reporter,
  { images, passedOver, backups }: Inputs,
  { uploads }: Formats,
  options: Options,
) {
  const { totals, upToDateCount, leftAloneCount } = reporter;
  const would = options.dryRun ? 'would be saved; nothing was written' : 'saved';
  const saved = `${asSize(Math.max(0, totals.saved))} ${would}.`;
  const isWorkDone = totals.all.files > 0;
  const counted = (words: string, files: number) => (files > 0 ? [`${words}: ${files}.`] : []);
  const lines = [
    ...(images.length === 0 ? [`No ${uploads.or} was found.`] : []),
    ...(isWorkDone ? ['', totals.table()] : []),
    ...counted('Already up to date', upToDateCount),
    ...counted(`Skipped, no ${uploads.or}`, passedOver),
    ...counted('Skipped, backups of originals', backups),
    ...counted('Left alone, because --max-dimension was not given', leftAloneCount['would-be-scaled']),
    ...counted('Left alone, because --drop-layers was not given', leftAloneCount['would-lose-data']),
    ...counted('Left alone, because its format would change', leftAloneCount['would-change-format']),
    ...(isWorkDone ? [paint('bold', saved, process.stdout, options)] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

interface StreamOptions extends TargetOptions, SettingOptions, OutputOptions {
  readonly quiet?: boolean;
}

const fileOf = ({ fd }: { readonly fd: number }): Sources =>
  new Set([fileId(fstatSync(fd, { bigint: true }))]);

/** /dev/stdout, for example: opened again, a redirected file would be written from its start. */
async function isStandardOutput(output: string | undefined) {
  if (output === undefined) return false;
  return isAmong(fileOf(process.stdout), userPath(output));
}

function compressStream(typed: readonly string[], options: StreamOptions, settings: ImageSettings) {
  const [input] = typed;
  const { output = '-', dryRun, json } = options;
  if (typed.length > 1) throw new UsageFault('- stands for a single image. Leave out the other names.');
  if (options.inPlace || options.backup !== undefined || options.suffix !== undefined)
    throw new UsageFault(
      '- is standard input or output, which --in-place, --backup and --suffix cannot be used with. Leave them out.',
    );
  if (output === '-' && process.stdout.isTTY && !dryRun) {
    throw new UsageFault(
      'The image would be written to the terminal. Redirect it to a file or a pipe, or use -o FILE.',
    );
  }
  const shownInput = input === '-' ? 'standard input' : input;
  return async ({ run, signal }: WorkerHandle) => {
    try {
      const start = performance.now();
      const { policy, knownFormats } = settings;
      const bytes =
        input === '-' ? await readStandardInput(signal, knownFormats) : await readFile(userPath(input));
      const result = await run({ kind: 'compress', image: bytes, policy });
      if (!dryRun) {
        if (output === '-') await writeToStandardOutput(result.bytes).catch(failOutput('standard output'));
        else {
          // `- -o photo.jpg < photo.jpg`.
          const sources = fileOf(process.stdin);
          await writeWhole(userPath(output), result.bytes, { sources }).catch(failOutput(output));
        }
      }
      if (options.quiet) return;
      const job = {
        input: { path: input, shown: shownInput },
        output: dryRun ? undefined : { shown: output },
      };
      const ms = Math.round(performance.now() - start);
      const entry = resultEntry(job, result.report, { ms, keepMetadata: policy.keepMetadata });
      const text = json ? printableJson(entry.json) : asText(entry, process.stderr, options);
      process.stderr.write(`${text}\n`);
    } catch (error) {
      if (signal.aborted) return;
      const fault = describeFault(error);
      if (!json) throw new CliFailure(`${printable(fault.output ?? shownInput)}: ${fault.sentence}`);
      throw new CliFailure(printableJson(failureEntry(shownInput, fault).json));
    }
  };
}

/** @throws Error as readFile does for a folder, or a file of the same size; ImageRefused when the first piece shows that it is no image */
async function readStandardInput(signal: AbortSignal, formats: Formats) {
  // As a stream, a folder has no bytes and no error.
  if (fstatSync(process.stdin.fd).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  const pieces: Buffer[] = [];
  let left = MOST_BYTES;
  for await (const piece of addAbortSignal(signal, process.stdin) as AsyncIterable<Buffer>) {
    const isStart = pieces.push(piece) === 1 && piece.length >= formats.uploadSignatureBytes;
    if (isStart && !formats.isUpload(piece)) throw notAnImage(piece, formats);
    left -= piece.length;
    if (left < 0) throw Object.assign(new Error(), { code: 'ERR_FS_FILE_TOO_LARGE' });
  }
  return Buffer.concat(pieces);
}

/** As many as readFile reads. */
const MOST_BYTES = 2 ** 31 - 1;

async function writeToStandardOutput(bytes: Uint8Array) {
  const { fd } = process.stdout;
  // On a full disk, the stream would drop the end of the file without an error: it does not repeat a short write.
  if (fstatSync(fd).isFile()) writeFileSync(fd, bytes);
  else await pipeline(Readable.from([bytes]), process.stdout, { end: false });
}
