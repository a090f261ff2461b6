/** `compare`: scores images by any encoder against their originals. */
import { lstat, stat } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { comparisonPolicy } from '../../compression/application/comparing/compare-images';
import { comparisonOf, type Comparison } from '../../compression/application/comparing/comparison';
import type { ResultFormats } from '../../contract/result-formats';
import {
  addOutputOptions,
  addRecipeOptions,
  type OutputOptions,
  score,
  type SettingOptions,
  settingsWith,
} from '../options';
import { userFolder } from '../../environment/settings-slice';
import { COMPARE_HELP } from '../help';
import { ofOutput } from '../images/file-faults';
import { findInputs, stemOf, type Input } from '../images/inputs';
import { withinFolder } from '../images/within-folder';
import { readWhole, writeWhole } from '../images/whole-file';
import { inLanes, withWorkers } from '../images/workers';
import { CliFailure, UsageFault } from '../outcome';
import { Output, paint } from '../report/output';
import { printable } from '../report/printable';

interface Options extends SettingOptions, OutputOptions {
  readonly map?: string;
  readonly min?: number;
}

/** A file that the user named, or one below a folder that the user named. */
type ComparedFile = Pick<Input, 'path' | 'root' | 'shown'>;

interface Pair {
  readonly original: ComparedFile;
  readonly image: ComparedFile;
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
  const { map: mapName, json, min = 0, color } = options;
  const settings = settingsWith(options);
  const { policy, resultFormats } = settings.compression;
  const pairs = await findPairs(original, image, resultFormats);
  if (mapName !== undefined && pairs.length > 1)
    throw new UsageFault('--map is for one image. Name two files.');
  const output = new Output({ form: json ? 'json' : 'text', total: 0, color });
  if (!json) output.print(HEADER);
  let [failures, low] = [0, 0];
  await withWorkers(settings, pairs.length, async (workers) => {
    await inLanes(pairs, workers, async (pair, fail) => {
      let file = pair.original;
      try {
        const { bytes } = await withinFolder(file.root, file.path, readWhole);
        file = pair.image;
        const compared = await withinFolder(file.root, file.path, readWhole);
        const runner = await workers.running();
        const { bytes: map, report } = await runner.run(bytes, {
          policy: comparisonPolicy(policy, compared.bytes, resultFormats),
          compared: { image: compared.bytes, wantsMap: mapName !== undefined },
          signal: workers.signal,
          deadlineAt: Infinity,
        });
        if (mapName !== undefined)
          await writeWhole(resolve(userFolder, mapName), map).catch(ofOutput(mapName));
        const comparison = comparisonOf(report);
        const isLow = comparison.ssim < min;
        if (isLow) low++;
        const line = lineOf(file, comparison);
        const words = isLow ? paint('red', line, process.stdout, options) : line;
        output.write({ name: '', words, json: { image: file.shown, ...comparison } });
      } catch (error) {
        fail(error, ({ code, sentence, output: name = file.shown }) => {
          failures++;
          const failure = { image: pair.image.shown, error: code, message: sentence };
          output.write({ name, words: sentence, tone: 'failed', json: failure });
        });
      }
    });
    if (workers.signal.aborted) process.stderr.write('Interrupted.\n');
    else if (failures > 0) throw new CliFailure(`${failures} of ${pairs.length} could not be compared.`);
    else if (low > 0) throw new CliFailure(`${low} of ${pairs.length} below ${min}.`);
  });
}

/**
 * Returns two files, or the files of two folders that have the same name but for the extension.
 * @param formats of the images
 * @throws UsageFault for a file and a folder, CliFailure if nothing in two folders has the same name
 */
async function findPairs(original: string, image: string, formats: ResultFormats): Promise<Pair[]> {
  const [isFolder, isOtherFolder] = await Promise.all([original, image].map(isDirectory));
  if (isFolder !== isOtherFolder) throw new UsageFault('Give two files or two folders.');
  const fileAt = (shown: string, root = dirname(shown)) => ({
    ...{ shown, path: resolve(userFolder, shown), root: resolve(userFolder, root) },
  });
  if (!isFolder) return [{ original: fileAt(original), image: fileAt(image) }];
  const extensions = formats.facts.flatMap((facts) => facts.extensions.map((text) => `.${text}`));
  const pairs: Pair[] = [];
  for (const one of (await findInputs([original])).images) {
    const names = new Set([extname(one.below), ...extensions].map((text) => stemOf(one.below) + text));
    const files = [...names].map((name) => fileAt(join(image, name), image));
    const isThere = await Promise.all(files.map(({ path }) => isRegular(path)));
    const found = files.filter((_, i) => isThere[i]);
    if (found.length === 0) process.stderr.write(`${printable(one.below)}: no image has this name.\n`);
    pairs.push(...found.map((file) => ({ original: one, image: file })));
  }
  if (pairs.length > 0) return pairs;
  throw new CliFailure(`No image in ${image} has the name of a JPG or PNG in ${original}.`);
}

/** A name that does not exist counts as a file, so that reading it reports why. */
async function isDirectory(name: string): Promise<boolean> {
  return (await stat(resolve(userFolder, name)).catch(() => undefined))?.isDirectory() === true;
}

async function isRegular(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
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
