/** `compress`: the recipe of the service on local files. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { WorkerPool } from '../../compression/infrastructure/workers/worker-pool';
import type { Settings } from '../../settings/settings';
import { settingsWith, type SettingOptions } from '../cli-settings';
import { CliFailure } from '../exit';
import { openConsole } from './console';
import { onInterruption } from './interruption';
import { checkTarget, planJobs, type CompressOptions } from './plan';
import { asJson, asSize, asWords, Totals } from './report-lines';
import { runJobs, type JobEvents } from './run-jobs';
import { findSources } from './sources';
import { compressStream, isStream } from './standard-streams';

const WORKER = join(__dirname, '..', '..', 'compression', 'infrastructure', 'workers', 'worker-process.js');
/** File names are relative to where the user stands, which npm hides from scripts. */
const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();

type Options = CompressOptions & SettingOptions & { readonly json?: boolean };

export function addCompressCommand(program: Command): void {
  program
    .command('compress <images...>')
    .description('compress JPG and PNG files, folders of them, or patterns such as "photos/**/*.jpg"')
    .option(
      '-o, --output <path>',
      'file or folder to write to; the structure of folders is kept; - is standard output',
    )
    .option('--in-place', 'overwrite the files themselves')
    .option('-n, --dry-run', 'do all the work, write nothing')
    .option(
      '-j, --jobs <n>',
      `images at a time (default: ${availableParallelism()}, one a core)`,
      wholeNumber,
    )
    .option('-q, --quality <level>', 'low, medium, high, very-high, or a score such as 0.9914')
    .option('--effort <level>', 'fast, balanced, max: time against bytes')
    .option('--png-mode <mode>', 'auto, or lossless: never a palette')
    .option('--min-savings <percent>', 'a smaller gain is not worth a rewrite')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', EXPLANATION)
    .action(compress);
}

const EXPLANATION = `
In folders, links and files that are neither JPG nor PNG are passed over. Files keep their times, mode and owner.
Every file is written aside and renamed: Ctrl-C leaves nothing half done.

  ics compress photo.jpg -o smaller.jpg
  ics compress photos -o web              photos/a/b.jpg becomes web/a/b.jpg
  ics compress --in-place "photos/**/*.jpg"
  ics compress --dry-run photos
  ics compress - < photo.jpg > smaller.jpg`;

async function compress(typed: string[], options: Options): Promise<void> {
  const settings = settingsWith(options);
  if (isStream(typed, options)) return withPool(settings, 1, compressStream(typed, options, userFolder));
  checkTarget(options);
  const except = options.output === undefined ? undefined : resolve(userFolder, options.output);
  const sources = await findSources(typed, userFolder, except);
  const jobs = await planJobs(sources, typed, options, userFolder);
  const total = jobs.length + sources.faults.length;
  const output = openConsole(total, options.json === true);
  const totals = new Totals();
  let failures = 0;
  const failed = (shown: string, sentence: string): void => {
    failures++;
    output.fault(`${shown}: ${sentence}`);
    output.progress(totals.all.before - totals.all.after);
  };
  const events: JobEvents = {
    done(job, report, ms) {
      totals.add(report);
      output.result(options.json ? asJson(job, report, ms) : asWords(job, report, ms));
      output.progress(totals.all.before - totals.all.after);
    },
    failed: (job, sentence) => failed(job.source.shown, sentence),
  };

  for (const { shown, sentence } of sources.faults) failed(shown, sentence);
  await withPool(settings, jobs.length, async (runner, lanes, signal) => {
    await runJobs(jobs, { runner, policy: settings.policy, lanes, signal }, events).finally(() =>
      output.stop(),
    );
    const { files } = totals.all;
    if (!options.json && total > 1 && files > 0)
      process.stdout.write(`\n${summary(totals, sources.passedOver, options)}\n`);
    if (signal.aborted) {
      process.stderr.write(`Interrupted: ${files} of ${total} done. The same command does the rest.\n`);
    } else if (failures + files < total) {
      throw new CliFailure(`Stopped: ${total - files} of ${total} could not be compressed.`);
    } else if (failures > 0) throw new CliFailure(`${failures} of ${total} could not be compressed.`);
  });
}

function summary(totals: Totals, passedOver: number, { dryRun }: Options): string {
  const { before, after } = totals.all;
  const saved = before - after;
  return [
    totals.table(),
    ...(passedOver > 0 ? [`Passed over, as neither JPG nor PNG: ${passedOver}.`] : []),
    `${asSize(Math.max(0, saved))} ${dryRun ? 'would be saved; nothing was written' : 'saved'}.`,
  ].join('\n');
}

/** Workers for the time of the work, and no longer. */
async function withPool(
  { pool, codecEngine }: Settings,
  images: number,
  work: (runner: WorkerPool, lanes: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = onInterruption();
  const lanes = Math.max(1, Math.min(pool.workers, images));
  const runner = new WorkerPool({ entry: [WORKER, codecEngine], workers: lanes, queueLimit: lanes });
  try {
    if (images > 0) await runner.start();
    await work(runner, lanes, signal);
  } finally {
    runner.stop();
  }
}

function wholeNumber(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return text;
}
