/**
 * From the values of options to the policy of a compression, for the environment and for requests. Options
 * that exclude each other are checked here, for all entry points.
 */
import type { z } from 'zod';
import { SHOWN_BY_BROWSERS, type AskedFormats } from '../../contract/formats';
import {
  isLossless,
  MOST_DIMENSION_PX,
  type CompressionPolicy,
  type DeploymentPolicy,
} from '../domain/compression-policy';
import type { ByteLimitOptions, Option } from './option';
import { OPTIONS } from './option-table';
import { acceptFormats } from './values';

type Rows = typeof OPTIONS;
/** The part of a policy that each variable sets, by the name of the variable. */
type Parts = {
  readonly [
    Name in keyof Rows as Rows[Name] extends { variable: infer Variable extends string } ? Variable : never
  ]: z.output<Rows[Name]['schema']>;
};

/** The environment variables of the table, as settings declare them. */
export const optionVariables = Object.assign(
  {},
  ...Object.values<Option>(OPTIONS).map((row) =>
    row.variable === undefined
      ? {}
      : { [row.variable]: row.schema.prefault(row.defaultValue).describe(row.meaning) },
  ),
) as { readonly [Variable in keyof Parts]: z.ZodType<Parts[Variable]> };

/** The intersection of a union: all parts at once. */
type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * Joins the parts to the policy of a deployment. The names of formats are read last, because packages may add
 * some.
 */
export function chosenBy(values: Parts) {
  const parts = (Object.keys(optionVariables) as (keyof Parts)[]).map((variable) => values[variable]);
  const all = Object.assign({}, ...parts) as Together<Parts[keyof Parts]>;
  const { formatNames, formatModules, knownFormats, ...policy } = all;
  const formats = acceptFormats(knownFormats).parse(formatNames);
  return {
    formatModules,
    knownFormats,
    policy: { ...policy, density: 1, ...accepted(formats) } satisfies DeploymentPolicy,
    /** Whether the header `Accept` decides about formats where the request does not. */
    negotiatesFormat: formats === 'auto',
  };
}

/** Returns the `formats` of a policy; none if results have the format of their upload. */
export function accepted(formats: AskedFormats): Pick<CompressionPolicy, 'formats'> {
  if (formats === 'auto') return { formats: ['same', ...SHOWN_BY_BROWSERS] };
  return formats.every((format) => format === 'same') ? {} : { formats };
}

/** Returns the `byteLimit` of a policy; none without `maxBytes`. */
export function limitedBytes({ maxBytes, allow }: ByteLimitOptions): Pick<CompressionPolicy, 'byteLimit'> {
  return maxBytes === undefined ? {} : { byteLimit: { maxBytes, allowsAny: allow === 'any' } };
}

/**
 * Returns the policy of one image on the same machine, where no deployment has limits of its own.
 * @param hasOwnSize whether a maximum size is asked for; it then counts instead of the deployment's
 */
export function policyForOne(
  policy: DeploymentPolicy,
  { density = policy.density, ...limit }: ByteLimitOptions & { readonly density?: number | undefined },
  hasOwnSize: boolean,
) {
  const size = hasOwnSize ? { defaultMaxDimensionPx: MOST_DIMENSION_PX } : {};
  return { ...policy, density, ...size, ...limitedBytes(limit) };
}

/** Returns the option that the quality `lossless` excludes, and the rule; undefined if there is none. */
export function conflictWithLossless(policy: CompressionPolicy) {
  if (!isLossless(policy) || (!policy.byteLimit && policy.density === 1)) return undefined;
  const option = policy.byteLimit ? 'maxBytes' : 'density';
  return { option, rule: 'cannot be combined with the quality "lossless"' } as const;
}
