/** Options that commands share, the parsers of their values, and the settings that they make. */
import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { conflictWithLossless, policyForOne } from '../compression/options/chosen';
import type { Option as Row } from '../compression/options/option';
import { OPTIONS } from '../compression/options/option-table';
import { REMOVED_OPTIONS } from '../contract/removed';
import { bytesFrom } from '../contract/units';
import { SettingsFault } from '../environment/settings-slice';
import { readSettings, type Settings } from '../settings/settings';
import { IMAGE_NAME } from './images/sniff';
import { UsageFault } from './outcome';
import type { ColourOption } from './report/output';

interface RecipeOption {
  readonly option: Option;
  readonly variable?: string | undefined;
}

const JOBS = `images at a time (default: ${availableParallelism()}, one per core)`;
const SANDBOX = 'keep workers from files and the network: auto, required or off (default: off)';

const RECIPE_OPTIONS: readonly RecipeOption[] = [
  { option: new Option('-j, --jobs <n>', JOBS).argParser(integer), variable: 'WORKERS' },
  { option: new Option('--sandbox <mode>', SANDBOX), variable: 'WORKER_SANDBOX' },
  ...Object.values<Row>(OPTIONS).flatMap((row) => {
    if (row.flag === undefined) return [];
    const { variable } = row;
    const option = new Option(row.flag, row.help);
    if (row.isList) option.argParser((text, earlier?: string) => (earlier ? `${earlier},${text}` : text));
    if (variable === undefined) option.argParser((text) => valueOf(row, text));
    return [{ option, variable }];
  }),
];

function valueOf({ schema }: Row, text: string): unknown {
  const { data, error } = schema.safeParse(text);
  if (!data) throw new InvalidArgumentError(`It ${error.issues[0].message}.`);
  return Object.values(data)[0];
}

const OPTIONS_OF: Readonly<Record<string, readonly string[] | undefined>> = {
  maxDimension: ['compress', 'check'],
  minSavings: ['check'],
  maxBytes: ['compress', 'set'],
  allow: ['compress', 'set'],
};
const OF_COMPARE = ['density', 'formatModule', 'jobs'];

/** Also refuses the options of earlier releases. */
export function addRecipeOptions(command: Command): void {
  const name = command.name();
  for (const { option } of RECIPE_OPTIONS) {
    const attribute = option.attributeName();
    const isItsOwn = OPTIONS_OF[attribute]?.includes(name) ?? true;
    if (name === 'compare' ? OF_COMPARE.includes(attribute) : isItsOwn) command.addOption(option);
  }
  if (name === 'compare') return;
  command.option('-f, --force', 'compress images again even if an earlier run did');
  for (const [removed, rule] of Object.entries(REMOVED_OPTIONS)) {
    const flag = `--${removed.replaceAll('_', '-')}`;
    if (command.options.some(({ long }) => long === flag)) continue;
    const refuse = () => {
      throw new UsageFault(`${flag} ${rule}.`);
    };
    command.addOption(new Option(`${flag} <value>`).hideHelp().argParser(refuse));
  }
}

export interface OutputOptions extends ColourOption {
  readonly json?: boolean;
}

export function addOutputOptions(command: Command): void {
  command
    .option('--json', 'print one JSON object per line, also for failures')
    .option('--color', 'colour the output (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'do not colour the output');
}

/** What was typed. Options that are settings take the same values, and are checked by the same rules. */
export interface SettingOptions {
  readonly format?: string;
  readonly maxDimension?: string;
  readonly maxBytes?: number;
  readonly allow?: 'any';
  readonly density?: number;
  readonly [option: string]: unknown;
}

/** @throws SettingsFault about the environment, UsageFault about the options */
export function settingsWith(options: SettingOptions = {}): Settings {
  const typed = RECIPE_OPTIONS.flatMap(({ option, variable }) => {
    const text = options[option.attributeName()];
    return variable !== undefined && typeof text === 'string'
      ? [{ name: option.name(), variable, text }]
      : [];
  });
  const overrides = Object.fromEntries(typed.map(({ variable, text }) => [variable, text]));
  try {
    return withRequest(readSettings({ WORKER_SANDBOX: 'off', ...process.env, ...overrides }), options);
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const faults = error.faults.flatMap(({ variable, rule }) =>
      typed.filter((one) => one.variable === variable).map(({ name, text }) => `--${name} ${text}: ${rule}`),
    );
    throw faults.length > 0 ? new UsageFault(faults.join('\n')) : error;
  }
}

function withRequest(settings: Settings, options: SettingOptions): Settings {
  const { maxBytes, allow, density, maxDimension } = options;
  if (maxBytes === undefined && allow !== undefined) {
    throw new UsageFault('--allow says what --max-bytes may cost: give both, or leave it out.');
  }
  const { compression } = settings;
  const policy = policyForOne(compression.policy, { maxBytes, allow, density }, maxDimension !== undefined);
  const conflict = conflictWithLossless(policy);
  if (conflict) throw new UsageFault(`${OPTIONS[conflict.option].flag.split(' ')[0]} ${conflict.rule}.`);
  return { ...settings, compression: { ...compression, policy } };
}

function integer(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 1 to 999.');
  return text;
}

/** A TCP port; 0 lets the system choose. */
export function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return text;
}

/** `200000`, `200kB`, `1.5MB`, `64KiB`; 0 is allowed. */
export function byteSize(text: string): number {
  return text === '0' ? 0 : byteLimit(text);
}

function byteLimit(text: string): number {
  const bytes = bytesFrom(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError('It must be a size such as 200000, 200kB or 1.5MB.');
  }
  return bytes;
}

export function score(text: string): number {
  if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(text))
    throw new InvalidArgumentError('It must be a score from 0 to 1, such as 0.99.');
  return Number(text);
}

export const resultSuffix = (text: string) => suffix(text, '.min');

/** A backup is not named like an image: the next run would compress it. */
export function backupSuffix(text: string): string {
  if (!IMAGE_NAME.test(text)) return suffix(text, '.orig');
  throw new InvalidArgumentError(
    'It must not end like the name of an image: the next run would compress the backup.',
  );
}

function suffix(text: string, example: string): string {
  if (text !== '' && !/[/\\\p{Cc}]/u.test(text)) return text;
  throw new InvalidArgumentError(`It must be a suffix such as ${example}, without slashes.`);
}
