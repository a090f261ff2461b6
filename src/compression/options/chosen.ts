import type { z } from 'zod';
import { SHOWN_BY_BROWSERS } from '../../contract/formats';
import type { AskedFormats } from '../../contract/result-formats';
import {
  isLossless,
  MOST_DIMENSION_PX,
  type ByteLimit,
  type CompressionPolicy,
  type DeploymentPolicy,
} from '../domain/compression-policy';
import type { ByteLimitOptions, Option } from './option';
import { OPTIONS } from './option-table';
import { acceptFormats } from './values';

type Rows = typeof OPTIONS;
type Parts = {
  readonly [
    Name in keyof Rows as Rows[Name] extends { variable: infer Variable extends string } ? Variable : never
  ]: z.output<Rows[Name]['schema']>;
};

export const optionVariables = Object.assign(
  {},
  ...Object.values<Option>(OPTIONS).map((row) =>
    row.variable === undefined
      ? {}
      : { [row.variable]: row.schema.prefault(row.defaultValue).describe(row.meaning) },
  ),
) as { readonly [Variable in keyof Parts]: z.ZodType<Parts[Variable]> };

type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;

export function chosenBy(values: Parts) {
  const parts = (Object.keys(optionVariables) as (keyof Parts)[]).map((variable) => values[variable]);
  const all = Object.assign({}, ...parts) as Together<Parts[keyof Parts]>;
  const { formatNames, formatModules, resultFormats, ...policy } = all;
  const formats = acceptFormats(resultFormats).parse(formatNames);
  return {
    formatModules,
    resultFormats,
    policy: { ...policy, density: 1, ...accepted(formats) } satisfies DeploymentPolicy,
    /** Whether the header `Accept` decides about formats where the request does not. */
    negotiatesFormat: formats === 'auto',
  };
}

export function accepted(formats: AskedFormats): Pick<CompressionPolicy, 'formats'> {
  if (formats === 'auto') return { formats: ['same', ...SHOWN_BY_BROWSERS] };
  return formats.every((format) => format === 'same') ? {} : { formats };
}

export function toByteLimit(maxBytes: ByteLimit['maxBytes'], allow: ByteLimitOptions['allow']): ByteLimit {
  return { maxBytes, allowsAny: allow === 'any' };
}

/** @param hasOwnSize whether a maximum size is asked for; it then counts instead of the deployment's */
export function policyForOne(
  policy: DeploymentPolicy,
  { maxBytes, allow, density = policy.density }: ByteLimitOptions & { readonly density?: number | undefined },
  hasOwnSize: boolean,
) {
  const size = hasOwnSize ? { defaultMaxDimensionPx: MOST_DIMENSION_PX } : {};
  const limit = maxBytes === undefined ? {} : { byteLimit: toByteLimit(maxBytes, allow) };
  return { ...policy, density, ...size, ...limit };
}

export function conflictWithLossless(policy: CompressionPolicy) {
  if (!isLossless(policy) || (!policy.byteLimit && policy.density === 1)) return undefined;
  const option = policy.byteLimit ? 'maxBytes' : 'density';
  return { option, rule: 'cannot be combined with the quality "lossless"' } as const;
}
