/** `compare`: scores images by any encoder against their originals. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { comparisonPolicy } from '../../compression/application/comparing/compare-images';
import { comparisonOf, type Comparison } from '../../compression/application/comparing/comparison';
import { settingsWith, type SettingOptions } from '../cli-settings';
import { userFolder } from '../../environment/settings-slice';
import { COMPARE_HELP } from '../help';
import { faultOf, ofOutput } from '../images/file-faults';
import { inside } from '../images/inside';
import { addOutputOptions, RECIPE_OPTIONS } from '../images/options';
import { readWhole, writeWhole } from '../images/whole-file';
import { withWorkers, type Workshop } from '../images/workers';
import { CliFailure, UsageFault } from '../outcome';
import { coloursFor, type ColourOption } from '../terminal/colours';
import { printable, printableJson } from '../terminal/printable';
import { score } from '../values';
import { findPairs, type ComparedFile, type Pair } from './pairs';

interface Options extends SettingOptions, ColourOption {
  readonly map?: string;
  readonly min?: number;
  readonly json?: boolean;
}

/** Options of compressions that comparisons have. */
const SHARED = ['density', 'formatModule', 'jobs'];
const HEADER = '  SSIM  SSIMULACRA2  MAX ERROR  WORST SPOT       IMAGE';

export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare <original> <image>')
    .description('compare an image with its original, or the images of two folders; exit with 1 below --min')
    .option('--min <score>', 'exit with 1 if an image has a lower SSIM than this, such as 0.99', score)
    .option('--map <file>', 'write a PNG of the differences, ten times as strong');
  for (const { option } of RECIPE_OPTIONS)
    if (SHARED.includes(option.attributeName())) command.addOption(option);
  addOutputOptions(command);
  command.addHelpText('after', COMPARE_HELP).action(compare);
}

async function compare(original: string, image: string, options: Options): Promise<void> {
  const settings = settingsWith(options);
  const { pairs, unmatched } = await findPairs(original, image, userFolder);
  if (options.map !== undefined && pairs.length > 1)
    throw new UsageFault('--map is for one image. Name two files.');
  if (!options.json) process.stdout.write(`${HEADER}\n`);
  for (const name of unmatched) process.stderr.write(`${printable(name)}: no image has this name.\n`);
  await withWorkers(settings, pairs.length, async (workshop) => {
    const { policy } = settings.compression;
    const compareOne = async ({ original, image }: Pair): Promise<Comparison> => {
      const [{ bytes }, compared] = await Promise.all([original, image].map(read));
      const { bytes: map, report } = await workshop.runner.run(bytes, {
        policy: comparisonPolicy(policy, compared.bytes),
        compared: { image: compared.bytes, wantsMap: options.map !== undefined },
        signal: workshop.signal,
        deadlineAt: Infinity,
      });
      if (options.map !== undefined)
        await writeWhole(resolve(userFolder, options.map), map).catch(ofOutput(options.map));
      return comparisonOf(report);
    };
    const { failures, low } = await compareAll(pairs, compareOne, workshop, options);
    if (workshop.signal.aborted) process.stderr.write('Interrupted.\n');
    else if (failures > 0) throw new CliFailure(`${failures} of ${pairs.length} could not be compared.`);
    else if (low > 0) throw new CliFailure(`${low} of ${pairs.length} below ${options.min}.`);
  });
}

/** Prints a line for each pair, in their order. */
async function compareAll(
  pairs: readonly Pair[],
  compareOne: (pair: Pair) => Promise<Comparison>,
  { lanes, signal }: Workshop,
  { json, min = 0, ...options }: Options,
): Promise<{ readonly failures: number; readonly low: number }> {
  const colours = coloursFor(process.stdout, options);
  const counts = { failures: 0, low: 0 };
  const report = async (pair: Pair): Promise<() => void> => {
    try {
      const comparison = await compareOne(pair);
      const isLow = comparison.ssim < min;
      const line = json ? printableJson({ image: pair.shown, ...comparison }) : lineOf(pair, comparison);
      return () => {
        if (isLow) counts.low++;
        process.stdout.write(`${isLow && !json ? colours.red(line) : line}\n`);
      };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      const { code, sentence } = fault;
      return () => {
        counts.failures++;
        if (json)
          process.stdout.write(`${printableJson({ image: pair.shown, error: code, message: sentence })}\n`);
        else process.stderr.write(`${printable(pair.shown)}: ${sentence}\n`);
      };
    }
  };
  const running: Promise<() => void>[] = [];
  let printed = 0;
  const print = async () => (await running[printed++])();
  for (const pair of pairs) {
    if (signal.aborted) break;
    if (running.length - printed >= lanes) await print();
    const line = report(pair);
    line.catch(() => undefined);
    running.push(line);
  }
  while (printed < running.length && !signal.aborted) await print();
  return counts;
}

function read({ root, path }: ComparedFile) {
  return inside(root, path, readWhole);
}

function lineOf({ shown }: Pair, { ssim, ssimulacra2, maxError, worst }: Comparison): string {
  const spot = worst ? `${worst.width}x${worst.height}+${worst.x}+${worst.y}` : 'none';
  const columns = [
    ssim.toFixed(4).padStart(6),
    (ssimulacra2?.toFixed(2) ?? '-').padStart(11),
    String(maxError).padStart(9),
    spot.padEnd(15),
    printable(shown),
  ];
  return columns.join('  ');
}
