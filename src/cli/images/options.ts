/** Options that the commands about images share: for the recipe, and for the output. */
import { availableParallelism } from 'node:os';
import { Option, type Command } from 'commander';
import { SANDBOX_MODES } from '../../compression/application/running/compression-runner.port';
import type { Flag, Option as Row } from '../../compression/options/option';
import { OPTIONS } from '../../compression/options/option-table';
import { byteLimit, integer } from '../values';

interface RecipeOption extends Pick<Row, 'words'>, Pick<Flag, 'isOfCompress'> {
  readonly option: Option;
  /** The setting that it overrides. */
  readonly variable?: string | undefined;
}

const JOBS = `images at a time (default: ${availableParallelism()}, one per core)`;

export const RECIPE_OPTIONS: readonly RecipeOption[] = [
  { option: new Option('-j, --jobs <n>', JOBS).argParser(integer), variable: 'WORKERS' },
  {
    option: new Option(
      '--sandbox <mode>',
      'keep workers from files and the network: auto, required or off (default: off)',
    ),
    variable: 'WORKER_SANDBOX',
    words: SANDBOX_MODES,
  },
  ...Object.values<Row>(OPTIONS).flatMap((row) => {
    if (row.flag === undefined) return [];
    const option = new Option(row.flag, row.help);
    if (row.isList) option.argParser((text, earlier?: string) => (earlier ? `${earlier},${text}` : text));
    // The settings check the others.
    if (row.variable === undefined && row.words) option.choices(row.words);
    else if (row.variable === undefined) option.argParser(byteLimit);
    return [{ ...row, option }];
  }),
];

/** @param except names of options that the command has not */
export function addRecipeOptions(
  command: Command,
  isCompress: boolean,
  except: readonly string[] = [],
): void {
  const [own, shared] = [true, false].map((isOwn) =>
    RECIPE_OPTIONS.filter(
      ({ option, isOfCompress = false }) =>
        isOfCompress === isOwn && !except.includes(option.attributeName()),
    ),
  );
  for (const { option } of shared) command.addOption(option);
  command.option('-f, --force', 'compress images again even if an earlier run did');
  if (isCompress) for (const { option } of own) command.addOption(option);
}

export function addOutputOptions(command: Command): void {
  command
    .option('--json', 'print one JSON object per line, also for failures')
    .option('--color', 'colour the output (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'do not colour the output');
}
