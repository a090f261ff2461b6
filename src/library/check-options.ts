/** Checks options. Their values, rules and defaults are those of the service's settings. */
import { parse } from 'node:path';
import { inspect } from 'node:util';
import { compressionSlice, type CompressionSettings } from '../compression/compression.settings';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import type { SetOptions } from '../compression/domain/sets/set-plan';
import { accepted, policyForOne } from '../compression/options/chosen';
import type { ByteLimitOptions, Option } from '../compression/options/option';
import { OPTIONS } from '../compression/options/option-table';
import { SetOptionFault, setOptionsFrom, type SetTexts } from '../compression/options/set-options';
import { formatsOf } from '../compression/options/values';
import { REMOVED_OPTIONS } from '../contract/removed';
import type { ResultFormats } from '../contract/result-formats';
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
    Object.entries<Option>(OPTIONS).flatMap(([option, { variable }]) =>
      variable === undefined || NOT_OF_LIBRARY.includes(option) ? [] : [[option, variable]],
    ),
  );

interface CheckedOptions {
  readonly policy: CompressionPolicy;
  readonly limits: InputLimits;
}

/** @throws InvalidOptionError naming the first option that is unknown or has a value that it cannot take */
export function checked(given: CompressOptions, known: ResultFormats): CheckedOptions {
  const { signal, maxBytes, allow, maxInputBytes, format, ...options } = anObject(given);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError('signal', 'signal must be an AbortSignal.');
  }
  const { policy, maxUploadBytes } = settingsOf(options, SETTING_OF);
  const formats = format === undefined ? {} : formatsFrom(format, known);
  const limit = byteLimitOf(maxBytes, allow);
  const most = byteCount('maxInputBytes', maxInputBytes);
  return {
    policy: { ...policyForOne(policy, limit, options.maxDimension !== undefined), ...formats },
    limits: { given: most ?? Infinity, read: most ?? maxUploadBytes },
  };
}

function formatsFrom(format: unknown, known: ResultFormats): Pick<CompressionPolicy, 'formats'> {
  const text = settingText(Array.isArray(format) ? format.join() : format);
  const { data, error } = formatsOf(known).safeParse(text);
  if (!data) throw new InvalidOptionError('format', `format ${error.issues[0].message}.`);
  return accepted(data);
}

/** Options of compressions that comparisons have. */
const OF_COMPARISONS = ['density', 'maxMegapixels', 'maxInputBytes', 'signal'];

/** @throws InvalidOptionError as `checked` */
export function checkedComparison(
  given: CompareOptions,
  known: ResultFormats,
): CheckedOptions & { readonly wantsMap: boolean } {
  const { map = false, ...options } = anObject(given);
  const other = Object.keys(options).find((option) => !OF_COMPARISONS.includes(option));
  if (other !== undefined) throw unknownOption(other);
  if (typeof map !== 'boolean') throw new InvalidOptionError('map', 'map must be true or false.');
  return { ...checked(options, known), wantsMap: map };
}

interface CheckedSet extends CheckedOptions {
  readonly options: SetOptions;
}

/** @throws InvalidOptionError naming the first option that is unknown or has a value that it cannot take */
export function checkedSet(input: unknown, given: CompressSetOptions, known: ResultFormats): CheckedSet {
  const { widths, width, densities, placeholder, name, alt, ...others } = anObject(given);
  if ('maxDimension' in others)
    throw new InvalidOptionError('maxDimension', 'maxDimension cannot be combined with widths.');
  const { policy, limits } = checked(others, known);
  const texts = Object.entries({ widths, width, densities, placeholder, name, alt })
    .filter(([, value]) => value !== undefined)
    .map(([option, value]) => [option, value === '' ? '' : listText(value)]);
  try {
    const options = setOptionsFrom(Object.fromEntries(texts) as SetTexts);
    return { policy, limits, options: { ...options, name: name ?? nameOf(input) } };
  } catch (error) {
    if (!(error instanceof SetOptionFault)) throw error;
    throw new InvalidOptionError(error.option, `${error.message}.`);
  }
}

/** Returns the name of a file without its folder and extension. */
function nameOf(input: unknown): string {
  const path = input instanceof URL ? decodeURIComponent(input.pathname) : input;
  return typeof path === 'string' ? parse(path).name : 'image';
}

function anObject<Options extends object>(options: Options): Options {
  if (typeof options === 'object' && (options as object | null) !== null && !Array.isArray(options)) {
    return options;
  }
  throw new InvalidOptionError('options', 'options must be an object.');
}

function byteLimitOf(given: unknown, allow: unknown): ByteLimitOptions {
  if (allow !== undefined && allow !== 'any') throw new InvalidOptionError('allow', 'allow must be any.');
  const maxBytes = byteCount('maxBytes', given);
  if (allow !== undefined && maxBytes === undefined) {
    throw new InvalidOptionError('allow', 'allow needs maxBytes.');
  }
  return { maxBytes, allow };
}

function byteCount(option: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidOptionError(option, `${option} must be an integer of 1 or more.`);
}

/**
 * The settings with some options over them. The environment does not count: a library does what its caller says.
 * @param defaults values of settings whose default differs from the service's
 * @throws InvalidOptionError
 */
export function settingsOf(
  options: object,
  settingOf: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
): CompressionSettings {
  const given = Object.entries(anObject(options) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(
      ([option, value]) =>
        [option, option === 'formatModules' ? listText(value) : settingText(value)] as const,
    );
  for (const [option] of given) {
    if (!Object.hasOwn(settingOf, option)) throw unknownOption(option);
  }
  try {
    const values = Object.fromEntries(given.map(([option, text]) => [settingOf[option], text]));
    return compressionSlice.read(readVariables(compressionSlice.variables, { ...defaults, ...values }));
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    for (const [option] of given) {
      const fault = error.faults.find(({ variable }) => variable === settingOf[option]);
      if (fault) throw new InvalidOptionError(option, `${option} ${fault.rule}.`);
    }
    throw error;
  }
}

/** Removed options have other names over HTTP: `png_depth`. */
function unknownOption(option: string): InvalidOptionError {
  const name = option.replace(/Percent$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const rule = Object.hasOwn(REMOVED_OPTIONS, name) ? REMOVED_OPTIONS[name] : undefined;
  const message = rule === undefined ? `There is no option ${option}.` : `${option} ${rule}.`;
  return new InvalidOptionError(option, message);
}

function listText(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.map(settingText).join(',') : settingText(value);
}

/** Returns the text of a setting with this value. For a value that is no text and no number, it is one that no setting takes. */
function settingText(value: unknown): string {
  if (typeof value === 'number') {
    // Without an exponent, which settings do not take.
    return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
  }
  // Settings take an empty text for none.
  return typeof value === 'string' && value !== '' ? value : inspect(value);
}
