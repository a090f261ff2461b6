/** The options of one compression. Their values, rules and defaults are those of the service's settings. */
import { z } from 'zod';
import type { ByteBudget, CompressionPolicy } from '../compression/domain/compression-policy';
import { QUALITY_TARGETS } from '../compression/domain/compression-policy';
import { readVariables, SettingsFault } from '../environment/read-variables';
import { compressionSlice, type CompressionSettings } from '../compression/compression.settings';
import { InvalidOptionError } from './errors';

export interface CompressOptions {
  /** What the result has to look like: a name, or a score from 0.9 to 0.9999. Default: `high`. */
  readonly quality?: keyof typeof QUALITY_TARGETS | number | undefined;
  /** Time against bytes; the quality is the same. Default: `balanced`. */
  readonly effort?: CompressionPolicy['effort'] | undefined;
  /** What a rewritten file keeps of its metadata. Default: `none`. */
  readonly metadata?: CompressionPolicy['keepMetadata'] | undefined;
  /** Longer side in pixels, 16 to 16384; larger images are scaled down. Default: 3840. */
  readonly maxDimension?: number | undefined;
  /** Larger images are refused (`too_many_pixels`), by their header. Default: 268. */
  readonly maxMegapixels?: number | undefined;
  /** What a PNG may lose where that cannot be seen. Default: `auto`. */
  readonly pngMode?: CompressionPolicy['pngMode'] | undefined;
  /** A smaller gain is not worth a rewrite. In per cent of the original size. Default: 2. */
  readonly minSavingsPercent?: number | undefined;
  /** What stays of the data behind a JPG, such as videos of motion photos. Default: `gain-map`. */
  readonly companions?: CompressionPolicy['keepCompanions'] | undefined;
  /** What the result of a JPG is compared with. Default: `upload`, the given file. */
  readonly reference?: CompressionPolicy['reference'] | undefined;
  /**
   * Format of the result: `same` as the input, one of `jpeg`, `png`, `webp`, `avif`, several separated by commas (the smallest of
   * them), or `auto` (the smallest of the input's, AVIF and WebP). Default: `same`.
   */
  readonly format?: string | undefined;
  /** Largest size of the result in bytes: the best image that fits. Default: any size. */
  readonly maxBytes?: number | undefined;
  /** With `maxBytes`: `any` accepts a quality below `low`, and the smallest result where none fits. */
  readonly allow?: 'any' | undefined;
  /** Stops the compression; the promise is rejected with an AbortError. */
  readonly signal?: AbortSignal | undefined;
}

const VARIABLES = z.object(compressionSlice.variables);

/** The setting that an option stands for; it takes the same values. */
const SETTING_OF: Readonly<Record<Exclude<keyof CompressOptions, 'signal' | 'maxBytes' | 'allow'>, string>> =
  {
    quality: 'QUALITY',
    effort: 'EFFORT',
    metadata: 'KEEP_METADATA',
    maxDimension: 'MAX_DIMENSION_PX',
    maxMegapixels: 'MAX_PIXELS_MP',
    pngMode: 'PNG_MODE',
    minSavingsPercent: 'MIN_SAVINGS_PERCENT',
    companions: 'KEEP_COMPANIONS',
    reference: 'REFERENCE',
    format: 'FORMAT',
  };

/** @throws InvalidOptionError naming the first option that is unknown or has a value that it cannot take */
export function policyOf({ signal, maxBytes, allow, ...options }: CompressOptions): CompressionPolicy {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError('signal', 'signal must be an AbortSignal.');
  }
  const { policy } = settingsOf(options, SETTING_OF);
  const budget = budgetOf(maxBytes, allow);
  return budget ? { ...policy, budget } : policy;
}

function budgetOf(maxBytes: unknown, allow: unknown): ByteBudget | undefined {
  if (allow !== undefined && allow !== 'any') throw new InvalidOptionError('allow', 'allow must be any.');
  if (maxBytes === undefined) {
    if (allow !== undefined) throw new InvalidOptionError('allow', 'allow needs maxBytes.');
    return undefined;
  }
  if (!Number.isSafeInteger(maxBytes) || (maxBytes as number) < 1) {
    throw new InvalidOptionError('maxBytes', 'maxBytes must be an integer of 1 or more.');
  }
  return { maxBytes: maxBytes as number, allowsAny: allow === 'any' };
}

/**
 * The settings with some options over them. The environment does not count: a library does what its caller says.
 * @throws InvalidOptionError
 */
export function settingsOf(
  options: object,
  settingOf: Readonly<Record<string, string>>,
): CompressionSettings {
  const given = Object.entries(options as Record<string, unknown>).filter(([, value]) => value !== undefined);
  for (const [option] of given) {
    if (!Object.hasOwn(settingOf, option))
      throw new InvalidOptionError(option, `There is no option ${option}.`);
  }
  try {
    const values = Object.fromEntries(given.map(([option, value]) => [settingOf[option], String(value)]));
    return compressionSlice.read(readVariables(VARIABLES, values));
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    for (const [option, value] of given) {
      const start = `${settingOf[option]}=${String(value)}: `;
      const fault = error.faults.find((one) => one.startsWith(start));
      if (fault) throw new InvalidOptionError(option, `${option} ${fault.slice(start.length)}.`);
    }
    throw error;
  }
}
