/** Options that commands share, the parsers of their values, and the settings that they make. */
import { availableParallelism } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { z } from 'zod';
import { conflictWithLossless, policyForOne } from '../compression/options/chosen';
import type { Option as Row } from '../compression/options/option';
import { OPTIONS } from '../compression/options/option-table';
import { bytes } from '../compression/options/values';
import { REMOVED_OPTIONS } from '../contract/removed';
import { decimal, integer, SettingsFault } from '../environment/settings-slice';
import { CompressionSettings } from '../compression/compression.settings';
import { readSlices, type Settings } from '../settings/settings';
import { UsageFault } from './outcome';
import type { ColourOption } from './report/output';

const JOBS = `images at a time (default: ${availableParallelism()}, one per core)`;
const SANDBOX = 'keep workers from files and the network: auto, required or off (default: off)';

const RECIPE_OPTIONS = [
  { option: new Option('-j, --jobs <n>', JOBS), variable: 'WORKERS' },
  { option: new Option('--sandbox <mode>', SANDBOX), variable: 'WORKER_SANDBOX' },
  ...Object.values<Row>(OPTIONS).flatMap((row) => {
    if (row.flag === undefined) return [];
    const { variable } = row;
    const option = new Option(row.flag, row.help);
    if (row.isList) option.argParser((text, earlier?: string) => (earlier ? `${earlier},${text}` : text));
    if (variable === undefined)
      option.argParser((text) => Object.values<unknown>({ ...parser(row.schema)(text) })[0]);
    return [{ option, variable }];
  }),
];

function parser<Value>(schema: z.ZodType<Value, string>) {
  return (text: string) => {
    const { data, error } = schema.safeParse(text);
    if (error) throw new InvalidArgumentError(`It ${error.issues[0].message}.`);
    return data;
  };
}

const OPTIONS_OF: Readonly<Record<string, readonly string[] | undefined>> = {
  maxDimension: ['compress', 'check'],
  minSavings: ['check'],
  maxBytes: ['compress', 'set'],
  allow: ['compress', 'set'],
};
/** Commands that have only these, and always do their work anew. */
const ONLY: Readonly<Record<string, readonly string[] | undefined>> = {
  compare: ['density', 'formatModule', 'jobs'],
  guard: ['quality', 'effort', 'jobs'],
};

/** Also refuses the options of earlier releases. */
export function addRecipeOptions(command: Command): void {
  const name = command.name();
  for (const { option } of RECIPE_OPTIONS) {
    const attribute = option.attributeName();
    const isItsOwn = OPTIONS_OF[attribute]?.includes(name) ?? true;
    if (ONLY[name]?.includes(attribute) ?? isItsOwn) command.addOption(option);
  }
  if (name in ONLY) return;
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

/** Adds the options of the recipe and those of the output. */
export function addSharedOptions(command: Command): Command {
  addRecipeOptions(command);
  return command
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

/** Commands that read images use no other settings: a variable such as DATABASE_URL may belong to another program. */
export type ImageSettings = Settings['compression'];

/** @throws SettingsFault about the environment, UsageFault about the options */
export function settingsWith(options: SettingOptions): ImageSettings {
  const typed = RECIPE_OPTIONS.flatMap(({ option, variable }) => {
    const text = options[option.attributeName()];
    return variable !== undefined && typeof text === 'string'
      ? [{ name: option.name(), variable, text }]
      : [];
  });
  const overrides = Object.fromEntries(typed.map(({ variable, text }) => [variable, text]));
  try {
    const env = { WORKER_SANDBOX: 'off', ...process.env, ...overrides };
    const { compression } = readSlices({ compression: CompressionSettings }, env);
    return withRequest(compression, options);
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const faults = error.faults.flatMap(({ variable, rule }) =>
      typed.filter((one) => one.variable === variable).map(({ name, text }) => `--${name} ${text}: ${rule}`),
    );
    throw faults.length > 0 ? new UsageFault(faults.join('\n')) : error;
  }
}

function withRequest(settings: ImageSettings, options: SettingOptions): ImageSettings {
  const { maxBytes, allow, density, maxDimension } = options;
  if (maxBytes === undefined && allow !== undefined) {
    throw new UsageFault('--allow says what --max-bytes may cost: give both, or leave it out.');
  }
  const policy = policyForOne(settings.policy, { maxBytes, allow, density }, maxDimension !== undefined);
  const conflict = conflictWithLossless(policy);
  if (conflict) throw new UsageFault(`${OPTIONS[conflict.option].flag.split(' ')[0]} ${conflict.rule}.`);
  return { ...settings, policy };
}

/** A TCP port; 0 lets the system choose. */
export const port = parser(integer(0, 65_535));
export const score = parser(decimal(0, 1));
export const seconds = parser(decimal(0.1, 86_400));
export const megapixels = parser(decimal(0.01, 4096));
export const count = parser(integer(1, 100_000));
export const byteSize = (text: string) => (text === '0' ? 0 : parser(bytes)(text));

/** Returns a parser. */
export const suffixLike = (example: string) => (text: string) => {
  if (text !== '' && !/[/\\\p{Cc}]/u.test(text)) return text;
  throw new InvalidArgumentError(`It must be a suffix such as ${example}, without slashes.`);
};
