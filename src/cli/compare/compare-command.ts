/** `compare`: scores images by any encoder against their originals. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { comparisonPolicy } from '../../compression/application/comparing/compare-images';
import { comparisonOf, type Comparison } from '../../compression/application/comparing/comparison';
import {
  addOutputOptions,
  addRecipeOptions,
  type OutputOptions,
  score,
  type SettingOptions,
  settingsWith,
} from '../options';
import { userFolder } from '../../environment/settings-slice';
import type { Settings } from '../../settings/settings';
import { COMPARE_HELP } from '../help';
import { ofOutput } from '../images/file-faults';
import { withinFolder } from '../images/within-folder';
import { readWhole, writeWhole } from '../images/whole-file';
import { inLanes, withWorkers, type WorkerHandle } from '../images/workers';
import { CliFailure, UsageFault } from '../outcome';
import { coloursFor } from '../report/output';
import { printable, printableJson } from '../report/printable';
import { findPairs, type ComparedFile, type Pair } from './pairs';

interface Options extends SettingOptions, OutputOptions {
  readonly map?: string;
  readonly min?: number;
}

const HEADER = '  SSIM  SSIMULACRA2  MAX ERROR  WORST SPOT       IMAGE';

export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare <original> <image>')
    .description('compare an image with its original, or the images of two folders; exit with 1 below --min')
    .option('--min <score>', 'exit with 1 if an image has a lower SSIM than this, such as 0.99', score)
    .option('--map <file>', 'write a PNG of the differences, ten times as strong');
  addRecipeOptions(command);
  addOutputOptions(command);
  command.addHelpText('after', COMPARE_HELP).action(compare);
}

async function compare(original: string, image: string, options: Options): Promise<void> {
  const settings = settingsWith(options);
  const { pairs, unmatched } = await findPairs(original, image, settings.compression.resultFormats);
  if (options.map !== undefined && pairs.length > 1)
    throw new UsageFault('--map is for one image. Name two files.');
  if (!options.json) process.stdout.write(`${HEADER}\n`);
  for (const name of unmatched) process.stderr.write(`${printable(name)}: no image has this name.\n`);
  await withWorkers(settings, pairs.length, async (workers) => {
    const { failures, low } = await compareAll(pairs, workers, settings, options);
    if (workers.signal.aborted) process.stderr.write('Interrupted.\n');
    else if (failures > 0) throw new CliFailure(`${failures} of ${pairs.length} could not be compared.`);
    else if (low > 0) throw new CliFailure(`${low} of ${pairs.length} below ${options.min}.`);
  });
}

/** Prints a line for each pair, in their order. */
async function compareAll(
  pairs: readonly Pair[],
  workers: WorkerHandle,
  { compression: { policy, resultFormats } }: Settings,
  { map: mapName, json, min = 0, ...options }: Options,
): Promise<{ readonly failures: number; readonly low: number }> {
  const colours = coloursFor(process.stdout, options);
  const counts = { failures: 0, low: 0 };
  const prints: (() => void)[] = [];
  let printed = 0;
  const printNext = (i: number, print: () => void) => {
    prints[i] = print;
    while (printed in prints) prints[printed++]();
  };
  await inLanes([...pairs.entries()], workers, async ([i, { original, image }], fail) => {
    let file = original;
    try {
      const { bytes } = await withinFolder(original.root, original.path, readWhole);
      file = image;
      const compared = await withinFolder(image.root, image.path, readWhole);
      const runner = await workers.running();
      const { bytes: map, report } = await runner.run(bytes, {
        policy: comparisonPolicy(policy, compared.bytes, resultFormats),
        compared: { image: compared.bytes, wantsMap: mapName !== undefined },
        signal: workers.signal,
        deadlineAt: Infinity,
      });
      if (mapName !== undefined) await writeWhole(resolve(userFolder, mapName), map).catch(ofOutput(mapName));
      const comparison = comparisonOf(report);
      const isLow = comparison.ssim < min;
      const line = json ? printableJson({ image: image.shown, ...comparison }) : lineOf(image, comparison);
      printNext(i, () => {
        if (isLow) counts.low++;
        process.stdout.write(`${isLow && !json ? colours.red(line) : line}\n`);
      });
    } catch (error) {
      fail(error, ({ code, sentence, output = file.shown }) =>
        printNext(i, () => {
          counts.failures++;
          const failure = { image: image.shown, error: code, message: sentence };
          if (json) process.stdout.write(`${printableJson(failure)}\n`);
          else process.stderr.write(`${printable(output)}: ${sentence}\n`);
        }),
      );
    }
  });
  return counts;
}

function lineOf({ shown }: ComparedFile, { ssim, ssimulacra2, maxError, worst }: Comparison): string {
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
