/**
 * `ics compare`: scores an image by any encoder against its original, the way results are scored. --min makes
 * it a test in CI.
 */
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { comparisonPolicy } from '../../compression/application/comparing/compare-images';
import { describeComparison, type Comparison } from '../../compression/application/comparing/comparison';
import { extensionOf } from '../../contract/formats';
import { addSharedOptions, type OutputOptions, score, type SettingOptions, settingsWith } from '../options';
import { userPath } from '../../environment/settings-slice';
import { COMPARE_HELP } from '../help';
import { describeFault, failOutput } from '../images/file-faults';
import { identify, readWhole, writeWhole } from '../../files/whole-file';
import { withWorkers } from '../images/workers';
import { CliFailure, UsageFault } from '../outcome';
import { Output, paint } from '../report/output';
import { printable } from '../report/printable';

interface Options extends SettingOptions, OutputOptions {
  readonly map?: string;
  readonly min?: number;
}

const HEADER = '  SSIM  SSIMULACRA2  MAX ERROR  WORST SPOT       IMAGE';

export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare <original> <image>')
    .description('compare an image with its original; exit with 1 below --min')
    .option('--min <score>', 'exit with 1 if the image has a lower SSIM than this, such as 0.99', score)
    .option('--map <file>', 'write a PNG of the differences, ten times as strong');
  addSharedOptions(command).addHelpText('after', COMPARE_HELP).action(compare);
}

async function compare(original: string, image: string, options: Options) {
  const { map: mapName, json, min = 0, color } = options;
  const settings = settingsWith(options);
  if (!['', 'png'].includes(extensionOf(mapName ?? '')))
    throw new UsageFault('--map writes a PNG, so the name can end only with .png.');
  for (const name of [original, image]) {
    // A name that does not exist counts as a file: reading it reports why.
    const entry = await stat(userPath(name)).catch(() => undefined);
    if (entry?.isDirectory())
      throw new UsageFault('Folders are no longer compared; run "ics compare" once for each image.');
  }
  const output = new Output({ form: json ? 'json' : 'text', total: 0, color });
  if (!json) output.print(HEADER);
  await withWorkers(settings, 1, async (workers) => {
    let name = original;
    try {
      const upload = await readWhole(userPath(original));
      name = image;
      const compared = await readWhole(userPath(image));
      const { bytes: map, report } = await workers.run({
        kind: 'compare',
        image: upload.bytes,
        compared: compared.bytes,
        policy: comparisonPolicy(workers.policy, compared.bytes, workers.knownFormats),
        wantsMap: mapName !== undefined,
      });
      if (mapName !== undefined) {
        const sources = await identify([original, image].map(userPath));
        await writeWhole(userPath(mapName), map, { sources }).catch(failOutput(mapName));
      }
      const comparison = describeComparison(report);
      const line = formatLine(image, comparison);
      const isLow = comparison.ssim < min;
      const words = isLow ? paint('red', line, process.stdout, options) : line;
      output.write({ name: '', words, json: { image, ...comparison } });
      if (isLow) throw new CliFailure(`The SSIM is below ${min}.`);
    } catch (error) {
      if (workers.signal.aborted) return void process.stderr.write('Interrupted.\n');
      output.fail(name, describeFault(error));
      throw new CliFailure('The images could not be compared.');
    }
  });
}

function formatLine(name: string, { ssim, ssimulacra2, maxError, worst }: Comparison) {
  const spot = worst ? `${worst.width}x${worst.height}+${worst.x}+${worst.y}` : 'none';
  const columns = [
    ssim.toFixed(4).padStart(6),
    (ssimulacra2?.toFixed(2) ?? '-').padStart(11),
    String(maxError).padStart(9),
    spot.padEnd(15),
    printable(name),
  ];
  return columns.join('  ');
}
