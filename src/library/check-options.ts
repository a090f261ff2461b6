/**
 * Checks the options of the library. Values, rules and defaults are those of the service's settings and of
 * the option table; a fault names the option as the caller wrote it.
 */
import { parse } from 'node:path';
import { inspect } from 'node:util';
import type { z } from 'zod';
import { CompressionSettings } from '../compression/compression.settings';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import type { SetOptions } from '../sets/set-plan';
import { accepted, conflictWithLossless, policyForOne } from '../compression/options/chosen';
import type { Option } from '../compression/options/option';
import { OPTIONS } from '../compression/options/option-table';
import { SetOptionFault, setOptionsFrom, type SetTexts } from '../sets/set-options';
import { acceptFormats } from '../compression/options/values';
import { REMOVED_OPTIONS } from '../contract/removed';
import type { Formats } from '../contract/formats';
import { readVariables, SettingsFault } from '../environment/settings-slice';
import { InvalidOptionError } from './errors';
import type { InputLimits } from './input';
import type { CompareOptions, CompressOptions, CompressSetOptions } from './options';

type Row = Exclude<keyof typeof OPTIONS, 'formatModules' | 'minSavingsPercent'>;
type Named = Exclude<keyof CompressOptions, 'signal' | 'maxInputBytes'>;

const NOT_OF_LIBRARY = ['formatModules', 'minSavingsPercent'];
/** The setting that an option stands for; it takes the same values. Each row needs a type in CompressOptions, and the reverse. */
const SETTING_OF: [Row, Named] extends [Named, Row] ? Readonly<Record<string, string>> : never =
  Object.fromEntries(
    Object.entries<Option>(OPTIONS)
      .filter(([option]) => !NOT_OF_LIBRARY.includes(option))
      .map(([option, { variable = '' }]) => [option, variable]),
  );

interface CheckedOptions {
  readonly policy: CompressionPolicy;
  readonly limits: InputLimits;
}

/** @throws InvalidOptionError naming the first option that is wrong */
export function checked(given: CompressOptions, known: Formats): CheckedOptions {
  const { signal, maxBytes: size, allow, density, maxInputBytes, format, ...options } = anObject(given);
  const maxBytes =
    typeof size === 'string' ? valueOf('maxBytes', OPTIONS.maxBytes.schema, size).maxBytes : size;
  refuseIf(signal !== undefined && !(signal instanceof AbortSignal), 'signal', 'must be an AbortSignal');
  refuseIf(allow !== undefined && (allow as unknown) !== 'any', 'allow', 'must be "any"');
  for (const [option, count] of Object.entries({ maxBytes, maxInputBytes })) {
    const isCount = Number.isSafeInteger(count) && Number(count) >= 1;
    refuseIf(count !== undefined && !isCount, option, 'must be an integer of 1 or more');
  }
  refuseIf(allow !== undefined && maxBytes === undefined, 'allow', 'needs maxBytes');
  const { policy, maxUploadBytes } = readSettings(options, SETTING_OF);
  const formats = valueOf('format', acceptFormats(known), format === undefined ? 'same' : listText(format));
  const shown = density === undefined ? '1' : settingText(density);
  const seen = valueOf('density', OPTIONS.density.schema, shown);
  const chosen = policyForOne(policy, { maxBytes, allow, ...seen }, options.maxDimension !== undefined);
  const conflict = conflictWithLossless(chosen);
  if (conflict) throw invalid(conflict.option, conflict.rule);
  return {
    policy: { ...chosen, ...accepted(formats) },
    limits: { given: maxInputBytes ?? Infinity, read: maxInputBytes ?? maxUploadBytes },
  };
}

/** Reads the value of an option as the other entry points do. @throws InvalidOptionError */
function valueOf<Value>(option: string, schema: z.ZodType<Value, string>, text: string) {
  const { success, data, error } = schema.safeParse(text);
  if (!success) throw invalid(option, error.issues[0].message);
  return data;
}

const invalid = (option: string, rule: string) => new InvalidOptionError(option, `${option} ${rule}.`);

const OF_COMPARISONS = ['density', 'maxMegapixels', 'maxInputBytes', 'signal'];

/** @throws InvalidOptionError as `checked` */
export function checkedComparison(
  given: CompareOptions,
  known: Formats,
): CheckedOptions & { readonly wantsMap: boolean } {
  const { map: wantsMap = false, ...options } = anObject(given);
  const other = Object.keys(options).find((option) => !OF_COMPARISONS.includes(option));
  if (other !== undefined) throw unknownOption(other);
  refuseIf(typeof wantsMap !== 'boolean', 'map', 'must be true or false');
  return { ...checked(options, known), wantsMap };
}

/** Takes the name of the files from the input if that is a path. @throws InvalidOptionError as `checked` */
export function checkedSet(
  input: unknown,
  given: CompressSetOptions,
  known: Formats,
): CheckedOptions & { readonly options: SetOptions } {
  const { widths, width, densities, placeholder, name, alt, ...others } = anObject(given);
  refuseIf('maxDimension' in others, 'maxDimension', 'cannot be combined with widths');
  const texts = Object.entries({ widths, width, densities, placeholder, name, alt })
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => [option, value === '' ? '' : listText(value)]);
  try {
    const options = setOptionsFrom(Object.fromEntries(texts) as SetTexts);
    return { ...checked(others, known), options: { ...options, name: name ?? chooseName(input) } };
  } catch (error) {
    if (!(error instanceof SetOptionFault)) throw error;
    throw invalid(error.option, error.rule);
  }
}

function chooseName(input: unknown) {
  const path = input instanceof URL ? decodeURIComponent(input.pathname) : input;
  return typeof path === 'string' ? parse(path).name : 'image';
}

/** Returns a copy that has no prototype. @throws InvalidOptionError */
export function anObject<Options extends object>(options: Options) {
  const isObject = typeof options === 'object' && (options as object | null) !== null;
  refuseIf(!isObject || Array.isArray(options), 'options', 'must be an object');
  // Those of a prototype count, too: rest elements would drop them without a word.
  const all = Object.create(null) as Options;
  for (const name in options) all[name] = options[name];
  return all;
}

function refuseIf(isWrong: boolean, option: string, rule: string) {
  if (isWrong) throw invalid(option, rule);
}

/** The environment does not count: a library does what its caller says. @throws InvalidOptionError */
export function readSettings(
  options: object,
  settingNames: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
): CompressionSettings {
  const given = Object.entries(anObject(options)).filter(([, value]) => value !== undefined);
  const values = given.map(([option, value]) => {
    if (!Object.hasOwn(settingNames, option)) throw unknownOption(option);
    return [settingNames[option], option === 'formatModules' ? listText(value) : settingText(value)];
  });
  try {
    const texts = { ...defaults, ...(Object.fromEntries(values) as Record<string, string>) };
    return CompressionSettings.read(readVariables(CompressionSettings.variables, texts));
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const [{ variable, rule }] = error.faults;
    const [option = variable] = given.map(([name]) => name).filter((name) => settingNames[name] === variable);
    throw invalid(option, rule);
  }
}

/** Removed options have other names over HTTP, such as `png_depth`. */
function unknownOption(option: string) {
  const name = option.replace(/Percent$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(REMOVED_OPTIONS, name)
    ? invalid(option, REMOVED_OPTIONS[name])
    : new InvalidOptionError(option, `There is no option ${option}.`);
}

function listText(value: unknown) {
  return Array.isArray(value) && value.length > 0 ? value.map(settingText).join(',') : settingText(value);
}

/** Values that are no text and no number become a text that no setting takes. */
function settingText(value: unknown) {
  if (typeof value === 'number') {
    // Without an exponent, which settings do not take.
    return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
  }
  // Settings take an empty text for none.
  return typeof value === 'string' && value !== '' ? value : inspect(value);
}
