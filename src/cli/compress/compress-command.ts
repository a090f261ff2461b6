/** `compress`: the recipe of the service on local files. */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { settingsWith, type SettingOptions } from '../cli-settings';
import { CliFailure } from '../exit';
import { EarlierResults } from '../images/earlier-results';
import { addOutputOptions, addRecipeOptions } from '../images/options';
import { runJobs } from '../images/run-jobs';
import { findSources } from '../images/sources';
import { withWorkers } from '../images/workers';
import type { ColourOption } from '../terminal/colours';
import { userFolder } from '../user-folder';
import { backupSuffix, byteLimit } from '../values';
import { EXPLANATION } from './explanation';
import { checkTarget, planJobs, type CompressOptions } from './plan';
import { Reporter } from './reporter';
import { compressStream, isStream } from './standard-streams';

interface Options extends CompressOptions, SettingOptions, ColourOption {
  readonly json?: boolean;
  readonly force?: boolean;
  readonly recursive: boolean;
}

export function addCompressCommand(program: Command): void {
  const command = program
    .command('compress <images...>')
    .description('compress JPG and PNG files, folders of them, or patterns such as "photos/**/*.jpg"')
    .option(
      '-o, --output <path>',
      'file or folder to write to; the structure of folders is kept; - is standard output',
    )
    .option(
      '--in-place',
      'overwrite the files themselves; files that would be scaled down are left alone unless --max-dimension is given',
    )
    .option(
      '--backup <suffix>',
      'with --in-place: keep each original beside it, with this behind its name',
      backupSuffix,
    )
    .option('-n, --dry-run', 'do all the work, write nothing, whatever else is given')
    .option('-r, --recursive', 'search folders with all folders in them; this is the default', true)
    .option('--no-recursive', 'search a folder without the folders in it');
  addRecipeOptions(command)
    .option(
      '--max-bytes <size>',
      'fit each image into this size, such as 200kB; an image that cannot fit fails',
      byteLimit,
    )
    .addOption(
      new Option(
        '--allow <what>',
        'any, with --max-bytes: accept a quality below low, and the smallest result where none fits',
      ).choices(['any']),
    );
  addOutputOptions(command);
  command.addHelpText('after', EXPLANATION).action(compress);
}

async function compress(typed: string[], options: Options): Promise<void> {
  const settings = settingsWith(options);
  if (isStream(typed, options)) return withWorkers(settings, 1, compressStream(typed, options, userFolder));
  checkTarget(options);
  const except = options.output === undefined ? undefined : resolve(userFolder, options.output);
  const sources = await findSources(typed, userFolder, { except, isRecursive: options.recursive });
  const jobs = await planJobs(sources, typed, options, userFolder);
  const reporter = await Reporter.open({ jobs, sources, settings, options });
  const isAllAgain = options.force === true || options.dryRun === true;
  const earlier = isAllAgain ? undefined : await EarlierResults.open(settings);

  await withWorkers(settings, jobs.length, async (workshop) => {
    const leavesLarge = options.inPlace === true && options.maxDimension === undefined;
    const run = { ...workshop, policy: settings.compression.policy, leavesLarge, earlier };
    await runJobs(jobs, run, reporter).finally(() => reporter.stop());
    reporter.summarise();
    const { files, failures, total } = reporter;
    if (workshop.signal.aborted) {
      process.stderr.write(`Interrupted: ${files} of ${total} done. The same command does the rest.\n`);
    } else if (failures + files < total) {
      throw new CliFailure(`Stopped: ${total - files} of ${total} could not be compressed.`);
    } else if (failures > 0) throw new CliFailure(`${failures} of ${total} could not be compressed.`);
  });
}
