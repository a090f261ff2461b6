/** How a capability declares its settings. */
import { z } from 'zod';

export type Variables = Readonly<Record<string, string | undefined>>;

/** One variable that is wrong. */
export interface SettingFault {
  readonly variable: string;
  /** The value that it has; absent for secrets. */
  readonly value?: string;
  /** What it breaks, as the end of a sentence: "must be an integer". */
  readonly rule: string;
}

/** The settings of one capability: the environment variables that it reads, and the settings object made of them. */
export interface SettingsSlice<Shape extends z.ZodRawShape, Value> {
  /** The injection token of the settings; absent if nothing injects them. */
  readonly token?: symbol;
  /** The schema of each environment variable; its description appears in docs/configuration.md. */
  readonly variables: Shape;
  /** Returns the settings from valid variables. */
  read(values: z.infer<z.ZodObject<Shape>>): Value;
  /** Returns the invalid combinations of variables. */
  conflicts?(present: Variables): SettingFault[];
}

/** Infers the types of a slice. */
export function settingsSlice<Shape extends z.ZodRawShape, Value>(
  slice: SettingsSlice<Shape, Value>,
): SettingsSlice<Shape, Value> {
  return slice;
}

/** Returns a function that makes the schema of a number in a range. */
const numeric = (pattern: RegExp, kind: string, note: string) => (min: number, max: number) =>
  z
    .string()
    .regex(pattern, `must be ${kind}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`)
    .meta({ accepts: `${min} to ${max}${note}` });

export const integer = numeric(/^-?\d+$/, 'an integer', '');
export const decimal = numeric(/^-?\d+(\.\d+)?$/, 'a number', ', decimals allowed');
export const tenths = numeric(
  /^-?\d+(\.\d0*)?$/,
  'a number with at most one decimal',
  ', one decimal allowed',
);

/** One of several words. */
export const choice = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });
