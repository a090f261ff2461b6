/**
 * How the values of options are written, and which codec engine or package a value names. Runs in the service
 * process, so it reads the manifests of packages but none of their code.
 */
import { z } from 'zod';
import { FORMATS_PATTERN, Formats } from '../../contract/formats';
import { BYTES_PATTERN, bytesFrom } from '../../contract/units';
import { LEAST_DIMENSION_PX, QUALITY_TARGETS } from '../domain/compression-policy';
import { userFolder } from '../../environment/settings-slice';
import {
  findFormatPackage,
  PackageFault,
  type CodecPackage,
  findEnginePackage,
} from '../packages/codec-package';
import { ENGINE_NAMES, type EngineName } from '../application/codecs.port';

export const text = z.string({ error: 'must be given once' });

const QUALITIES = Object.keys(QUALITY_TARGETS);
const TARGETS = `${QUALITIES.join(', ')}, or a score from 0.9 to 0.9999`;

/** The values that qualityTarget accepts, for the OpenAPI document. */
export const QUALITY_PATTERN = `^(${QUALITIES.join('|')}|0?\\.9(9{0,2}[0-8]\\d*|9{0,3}0*))$`;

/** Reads a named quality or a score, as a target of 0.9 to 1. */
export const qualityTarget = z
  .string()
  .transform((value, context) => {
    const named = Object.entries(QUALITY_TARGETS).find(([name]) => name === value);
    if (named) return named[1];
    const score = Number(value);
    if (new RegExp(QUALITY_PATTERN).test(value)) return score;
    const hint = score >= 1 && score <= 100 ? '; it is not the quality of a JPG, from 1 to 100' : '';
    context.addIssue(`must be one of ${TARGETS}${hint}`);
    return z.NEVER;
  })
  .meta({ accepts: TARGETS });

/** Reads a longer side in pixels. @param most the limit of the deployment */
export const pixels = (most: number) => {
  const error = `must be an integer from ${LEAST_DIMENSION_PX} to ${most}, the limit of this service`;
  const number = z.int({ error }).min(LEAST_DIMENSION_PX, { error }).max(most, { error });
  return z.preprocess((value) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : value), number);
};

/** Reads a size, such as 200kB, as bytes. */
export const bytes = text
  .regex(BYTES_PATTERN, { error: 'must be a number of bytes, such as 200000, 200kB or 1.5MB' })
  .transform((value, context) => {
    const size = bytesFrom(value);
    if (size !== undefined) return size;
    const isNothing = Number.parseFloat(value) < 1;
    context.addIssue(
      isNothing ? 'must be a size of 1 byte or more' : `must be at most ${Number.MAX_SAFE_INTEGER} bytes`,
    );
    return z.NEVER;
  });

/** Reads formats that results may have, or `same` or `auto`. */
export const acceptFormats = (known: Formats) => {
  const error = `must be ${known.choices}`;
  return text.regex(FORMATS_PATTERN, { error }).transform((value, context) => {
    const asked = known.from(value);
    if (asked) return asked;
    context.addIssue(error);
    return z.NEVER;
  });
};

/** Registered where it is installed: with the server always, beside the library if the user wants it. */
const INSTALLED_FORMAT = 'image-compression-jxl';

/** Reads packages that add formats, and returns them with all formats that results may then have. */
export const modules = text.transform((value, context) => {
  const named = value === 'none' ? [] : value.split(',').map((specifier) => specifier.trim());
  const formatModules: CodecPackage[] = [];
  let knownFormats = Formats.builtIn;
  const add = (specifier: string, from: string) => {
    const { found, ...extended } = findFormatPackage(specifier, from, knownFormats);
    if (formatModules.some(({ path }) => path === found.path)) return;
    formatModules.push(found);
    ({ knownFormats } = extended);
  };
  for (const specifier of named) {
    try {
      add(specifier, userFolder);
    } catch (error) {
      if (!(error instanceof PackageFault)) throw error;
      context.addIssue(error.message);
    }
  }
  try {
    add(INSTALLED_FORMAT, __dirname);
  } catch (error) {
    // It is not installed, or a package of the user has its name.
    if (!(error instanceof PackageFault)) throw error;
  }
  return { formatModules, knownFormats };
});

export interface Engine {
  /** A built-in engine, or the absolute path of a package. */
  readonly name: EngineName | (string & {});
  /** The memory that a worker needs for an image, as a multiple of memoryDemand(). */
  readonly memoryFactor: number;
  readonly package?: CodecPackage;
}

/** The portable engine keeps copies: measured 1.9 times for JPEGs of 14.7 megapixels and 2.0 for 16-bit PNGs. */
const MEMORY_FACTOR: Readonly<Record<EngineName, number>> = { native: 1, squoosh: 2 };

export const engine = z
  .string({ error: 'must be given once' })
  .transform((name, context): Engine => {
    const builtIn = ENGINE_NAMES.find((known) => known === name);
    if (builtIn) return { name, memoryFactor: MEMORY_FACTOR[builtIn] };
    try {
      const found = findEnginePackage(name, userFolder);
      return { name: found.path, memoryFactor: found.memoryFactor, package: found };
    } catch (error) {
      if (!(error instanceof PackageFault)) throw error;
      context.addIssue(`must be ${ENGINE_NAMES.join(', ')} or a package: ${error.message}`);
      return z.NEVER;
    }
  })
  .meta({ accepts: `${ENGINE_NAMES.join(', ')}, a package` });
