/** `ics set`: makes the files of a `srcset` from each image, and their markup. set.json remembers what was made. */
import { join, dirname } from 'node:path';
import type { Command } from 'commander';
import { UPLOADS } from '../../contract/formats';
import { mostVariants, type SetOptions, type Variant } from '../../sets/set-plan';
import { SET_OPTIONS, SetOptionFault, setOptionsFrom, type SetTexts } from '../../sets/set-options';
import { addSharedOptions, type OutputOptions, type SettingOptions, settingsWith } from '../options';
import { userPath } from '../../environment/settings-slice';
import { SET_HELP } from '../help';
import { describeOutputFault, describeFault } from '../images/file-faults';
import { findInputs, isBelow, removeExtension, type Input } from '../images/inputs';
import { withWorkers, type WorkerHandle, inLanes } from '../images/workers';
import { CliFailure, UsageFault } from '../outcome';
import { printable } from '../report/printable';
import { addDescriptions, readDescriptions, type Descriptions } from './descriptions';
import { SetReporter } from './set-reporter';
import { makeSet } from '../../sets/make-set';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import { computeDigest } from '../images/earlier-results';
import { isResultAt, writeResult } from '../images/run-jobs';
import { readWhole, type Sources } from '../../files/whole-file';
import { withinFolder } from '../../files/within-folder';

interface Options extends SettingOptions, OutputOptions, SetTexts {
  readonly output: string;
  readonly html?: boolean;
  readonly force?: boolean;
}

export function addSetCommand(program: Command): void {
  const { widths, width, densities, placeholder, alt } = SET_OPTIONS.shape;
  const command = program
    .command('set <images...>')
    .description(`make ${UPLOADS.and} files in several sizes and formats for the srcset of a page`)
    .requiredOption('-o, --output <folder>', 'folder to write to')
    .option('--widths <list>', widths.description)
    .option('--width <px>', width.description)
    .option('--densities <list>', densities.description)
    .option('--placeholder <kind>', placeholder.description)
    .option('--alt <text>', alt.description)
    .option('--html', 'print the markup instead of a line for each file');
  addSharedOptions(command).addHelpText('after', SET_HELP).action(runSet);
}

async function runSet(typed: string[], given: Options) {
  if (given.html && given.json) throw new UsageFault('Choose one: --json prints lines, --html the markup.');
  const settings = settingsWith(given);
  const { policy, knownFormats } = settings;
  const options = readOptions(given);
  const output = { path: userPath(given.output), shown: given.output };
  const isLeftOut = (path: string, folder?: string) => isBelow(output.path, path, folder);
  const inputs = await findInputs(typed, { formats: knownFormats, isLeftOut });
  const jobs = planSets(inputs.images);
  const list = { path: join(output.path, 'set.json'), shown: join(given.output, 'set.json') };
  const known = given.force ? new Map() : await readDescriptions(list.path);
  const total = jobs.length * mostVariants(options, policy.formats ?? ['same']) + inputs.faults.length;
  const reporter = new SetReporter(total, given);
  for (const { shown, ...fault } of inputs.faults) reporter.output.fail(shown, fault);
  const work = async (workers: WorkerHandle) => {
    const recipe = { ...workers, options, output, sources: inputs.sources, known };
    const make = (job: SetJob) => makeOne(job, recipe, reporter);
    try {
      await inLanes(jobs, workers, make, ({ input }, fault) => reporter.output.fail(input.shown, fault));
      if (reporter.descriptions.size > 0)
        await addDescriptions(list.path, reporter.descriptions).catch((error: unknown) =>
          reporter.output.fail(list.shown, describeOutputFault(error)),
        );
    } finally {
      reporter.output.stop();
    }
    reporter.summarise();
    const { failures } = reporter.output;
    if (workers.signal.aborted) {
      process.stderr.write('Interrupted. Run the same command again for the rest.\n');
    } else if (failures > 0) throw new CliFailure(`${failures} could not be made.`);
  };
  await withWorkers(settings, total, work, given.force === true);
}

function readOptions(given: SetTexts) {
  try {
    return setOptionsFrom(given);
  } catch (error) {
    if (!(error instanceof SetOptionFault)) throw error;
    throw new UsageFault(`--${error.option} ${error.rule}.`);
  }
}

/** @throws CliFailure if two images would have the same files */
function planSets(images: readonly Input[]): SetJob[] {
  const taken = new Map<string, Input>();
  return images.map((input) => {
    const key = removeExtension(input.below);
    const other = taken.get(key.toLowerCase());
    if (other) {
      throw new CliFailure(
        `${printable(other.shown)} and ${printable(input.shown)} would have the same files. Run the command once for each, with another folder.`,
      );
    }
    taken.set(key.toLowerCase(), input);
    return { input, key };
  });
}

interface SetJob {
  readonly input: Input;
  /** Below the output folder, without size and extension: `trips/lake`. */
  readonly key: string;
}

interface SetSettings extends WorkerHandle {
  readonly options: Omit<SetOptions, 'name'>;
  readonly output: { readonly path: string; readonly shown: string };
  readonly sources: Sources;
  readonly known: Descriptions;
}

async function makeOne({ input, key }: SetJob, settings: SetSettings, reporter: SetReporter) {
  const { policy, knownFormats, signal, earlier, known, output, sources } = settings;
  const file = await withinFolder(input.root, input.path, readWhole);
  const options = { ...settings.options, name: key.slice(key.lastIndexOf('/') + 1) };
  const compress = (one: CompressionPolicy) =>
    settings.run({ kind: 'compress', image: file.bytes, policy: one });
  const place = ({ name }: Variant) => {
    const below = join(dirname(key), name);
    return { root: output.path, path: join(output.path, below), shown: join(output.shown, below) };
  };
  const digest = computeDigest(file.bytes);
  const make = async (variant: Variant) => {
    const results = earlier?.under(variant.policy);
    const result = results?.find(digest);
    if (result && (await isResultAt(place(variant), result.resultDigest))) {
      reporter.upToDate();
      return result.report;
    }
    const { bytes, report } = await compress(variant.policy);
    await writeResult(place(variant), bytes, { like: file.stats, sources });
    await results?.add(digest, { resultDigest: computeDigest(bytes), report });
    reporter.done(input.shown, place(variant).shown, variant, report);
    return report;
  };
  const failed = (variant: Variant, error: unknown) => {
    if (!signal.aborted) reporter.output.fail(place(variant).shown, describeFault(error));
  };
  const maker = { options, policy, knownFormats, make, compress, failed };
  const description = await makeSet(file.bytes, maker, known.get(key));
  if (!signal.aborted) reporter.finished(key, input.shown, description);
}
