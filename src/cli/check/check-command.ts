/**
 * `ics check`: finds images of a repository or a built site that could be smaller, and by how much. Changes
 * nothing without --fix; exits with 1 if there are findings, for CI.
 */
import { Option, type Command } from 'commander';
import { MOST_DIMENSION_PX } from '../../compression/domain/compression-policy';
import {
  addSharedOptions,
  byteSize,
  type OutputOptions,
  type SettingOptions,
  settingsWith,
} from '../options';
import { CliFailure, UsageFault } from '../outcome';
import { runJobs, type Job } from '../images/run-jobs';
import { withWorkers, type WorkerHandle } from '../images/workers';
import { REPORTS, type ReportForm } from '../report/output';
import { Reporter } from '../report/reporter';
import { printableJson } from '../report/printable';
import { sarifLog } from '../report/sarif';
import { changeText } from '../../contract/units';
import { asSize, type Totals } from '../report/totals';
import { CHECK_HELP } from '../help';
import { findRepositoryImages } from './repository-images';
import { SiteReport } from './site-report';

interface Options extends SettingOptions, OutputOptions {
  readonly fix?: boolean;
  readonly threshold: number;
  readonly exclude?: readonly string[];
  readonly report?: ReportForm;
  readonly force?: boolean;
  readonly dropLayers?: boolean;
  readonly site?: boolean;
  readonly html?: string;
}

/** The action for GitHub has another way. */
const FIX_HINT = process.env['ICS_FIX_HINT'] ?? 'Run the same command with --fix.';
/** The largest MAX_DIMENSION_PX: a check scales only with --max-dimension. */
const UNSCALED_PX = String(MOST_DIMENSION_PX);

export function addCheckCommand(program: Command): void {
  const command = program
    .command('check [paths...]')
    .description('find images of a repository that could be smaller; exit with 1 if there are any')
    .option('--fix', 'compress them in place')
    .option(
      '--threshold <size>',
      'exit with 1 only if the images could save more than this in total',
      byteSize,
      0,
    )
    .option(
      '--exclude <pattern>',
      'leave out files that match, as in .gitignore; may be repeated',
      (pattern: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), pattern],
    )
    .option(
      '--drop-layers',
      'also count and fix images that lose data which programs read, such as layers or temperatures',
    )
    .option('--site', 'judge images of a built site at the size at which its pages show them')
    .option('--html <file>', 'with --site, also write a page that compares the ten largest savings')
    .addOption(
      new Option('--report <form>', 'output for people, programs, GitHub or code scanning').choices(REPORTS),
    );
  addSharedOptions(command).addHelpText('after', CHECK_HELP).action(check);
}

async function check(typed: string[], options: Options) {
  const { form, format } = chooseForm(options);
  const { maxDimension = UNSCALED_PX, fix: isFixing = false, threshold } = options;
  const { site: isSite = false, html, color } = options;
  const settings = settingsWith({ ...options, format, maxDimension });
  const { policy, knownFormats } = settings;
  if (isFixing && policy.formats)
    throw new UsageFault('--fix keeps the names of the files, so it cannot change their format.');
  if (html !== undefined && (!isSite || isFixing))
    throw new UsageFault('--html needs --site, and the originals, so it cannot be combined with --fix.');
  const paths = typed.length > 0 ? typed : ['.'];
  const inputs = await findRepositoryImages(paths, options.exclude ?? [], isSite, knownFormats);
  const leavesLarge = options.maxDimension === undefined;
  const leavesData = options.dropLayers !== true;

  const work = async (workers: WorkerHandle) => {
    const site = isSite ? await SiteReport.open(paths, inputs, workers) : undefined;
    const jobs = inputs.images.map((input): Job => ({
      input,
      output: isFixing ? input : undefined,
      policy: site?.places.get(input.path)?.policy,
    }));
    const reporter = new Reporter({ inputs, settings, form, check: { isFixing }, color, site });
    const keepsFormat = !policy.formats;
    const run = { ...workers, leavesLarge, leavesData, keepsFormat, sources: inputs.sources };
    await runJobs(jobs, run, reporter.record).finally(() => reporter.stop());
    if (html !== undefined && !workers.signal.aborted) await site?.writePage(html, reporter.results, workers);
    const { files, totals, output } = reporter;
    const { smaller: findings, bytesSaved: savings } = totals;
    const isTooMuch = !isFixing && (threshold > 0 ? savings > threshold : findings > 0);
    // An unfinished list would close alerts of code scanning.
    if (form === 'sarif' && !workers.signal.aborted)
      output.print(printableJson(sarifLog(output.annotated, isTooMuch)));
    if (form === 'json') reporter.printTotals();
    else if (form !== 'sarif' && jobs.length > 0)
      process.stdout.write(site?.summary(reporter.results) ?? summary(files, totals, isFixing));
    else if (form !== 'sarif')
      process.stdout.write(
        `No image was found${isSite ? '' : '; what .gitignore or --exclude names is left out'}.\n`,
      );
    if (workers.signal.aborted) {
      process.stderr.write(`Interrupted: ${files} of ${jobs.length} checked.\n`);
    } else if (output.failures > 0) {
      throw new CliFailure(`${output.failures} could not be checked.`);
    } else if (isTooMuch) {
      const allowed = threshold > 0 ? `, and ${asSize(threshold)} is allowed` : '';
      throw new CliFailure(`${asSize(savings)} could be saved${allowed}. ${FIX_HINT}`);
    }
  };
  await withWorkers(settings, inputs.images.length, work, options.force === true);
}

/** --format was the form of the report in earlier releases. */
function chooseForm({ json, report, format = 'same' }: Options) {
  const given = report ?? REPORTS.find((form) => form === format);
  if (json && given !== undefined && given !== 'json')
    throw new UsageFault('Choose one: --json is --report json.');
  return {
    form: given ?? (json ? 'json' : 'text'),
    format: REPORTS.some((form) => form === format) ? 'same' : format,
  } as const;
}

function summary(checked: number, totals: Totals, isFixing: boolean) {
  const { smaller, bytesSaved, all } = totals;
  const total = `${checked} ${checked === 1 ? 'image' : 'images'} checked`;
  const change = `by ${asSize(bytesSaved)} in total (${changeText(all.before, all.before - bytesSaved)})`;
  const verdict = isFixing ? 'made smaller' : 'could be smaller';
  return `${total}: ${smaller > 0 ? `${smaller} ${verdict}, ${change}` : `none ${verdict}`}.\n`;
}
