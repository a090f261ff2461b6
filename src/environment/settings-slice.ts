/**
 * How a capability declares its settings, and how variables become values. Every fault of the environment is
 * collected before the process refuses to start, so that the operator sees all of them at once.
 *
 * `environment` is the ground floor: what any capability may use to read its surroundings, and no capability
 * by name. `settings` is above all of them: it joins their slices to the settings of the process.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { SECRETS } from './secrets';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** One variable that is wrong. */
export interface SettingFault {
  readonly variable: string;
  /** The value that it has; absent for secrets. */
  readonly value?: string;
  /** What it breaks, as the end of a sentence: "must be an integer". */
  readonly rule: string;
}

/** The settings of one capability: the variables that it reads, and the object that it makes of them. */
export interface SettingsSlice<Shape extends z.ZodRawShape, Value> {
  /**
   * The schema of each environment variable; its description appears in docs/configuration.md. With `decidesAccess`, the service
   * does not start if the variable is misspelt.
   */
  readonly variables: Shape;
  /** Makes the settings from valid variables. */
  read(values: z.infer<z.ZodObject<Shape>>): Value;
  /** Returns combinations that are wrong. @param values those that are valid by themselves */
  conflicts?(present: Variables, values: Partial<z.infer<z.ZodObject<Shape>>>): SettingFault[];
  /** Faults that stop the service, but no command: the environment of a command serves other programs, too. */
  faultsAtStart?(present: Variables): SettingFault[];
}

/** Returns a class to extend: it is the slice, and both the type of its settings object and the token that injects it. */
export function settingsSlice<Shape extends z.ZodRawShape, Value extends object>(
  slice: SettingsSlice<Shape, Value>,
) {
  return Object.assign(class {} as unknown as abstract new () => Readonly<Value>, slice);
}

/** Makes the schema of a number within bounds, both included. */
const numeric = (pattern: RegExp, kind: string, note: string) => (min: number, max: number) =>
  z
    .string()
    .regex(pattern, `must be ${kind}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`)
    // The type is for the OpenAPI document. No `multipleOf`: validators would refuse 1.1, which is no multiple of 0.1 in binary.
    .meta({ accepts: `${min} to ${max}${note}`, type: 'number', minimum: min, maximum: max });

export const integer = numeric(/^-?\d+$/, 'an integer', '');
export const decimal = numeric(/^-?\d+(\.\d+)?$/, 'a number', ', decimals allowed');
export const tenths = numeric(
  /^-?\d+(\.\d0*)?$/,
  'a number with at most one decimal',
  ', one decimal allowed',
);

export const choice = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, {
    error: words.length === 1 ? `must be "${words[0]}"` : `must be one of ${words.join(', ')}`,
  });

/** The folder that names are relative to: the user's, which npm hides from scripts. */
export const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();

/** Returns the absolute path of a name that the user wrote. */
export const userPath = (name: string) => resolve(userFolder, name);

/** Everything that is wrong with the environment. `message` names the variables; other entry points name their options. */
export class SettingsFault extends Error {
  constructor(readonly faults: readonly SettingFault[]) {
    const count = faults.length === 1 ? 'an error' : `${faults.length} errors`;
    const lines = faults.map(({ variable, value, rule }) => {
      return `  - ${variable}${value === undefined ? '' : `=${value}`}: ${rule}`;
    });
    super(`The environment has ${count}:\n${lines.join('\n')}`);
  }
}

/** For a service METRICS, Kubernetes and Docker set METRICS_PORT=tcp://10.0.0.1:80 in every container. */
const SERVICE_LINK = /_PORT=(tcp|udp|sctp):\/\//;

/** Returns the variables without empty ones, which compose files and shells produce for a blank, and service links. */
export function setVariables(env: Variables): Variables {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value && !SERVICE_LINK.test(`${name}=${value}`)),
  );
}

/** @throws SettingsFault naming every variable that is wrong */
export function readVariables<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Variables,
  conflicts: NonNullable<SettingsSlice<Shape, unknown>['conflicts']> = () => [],
): z.infer<z.ZodObject<Shape>> {
  const set = setVariables(env);
  const secrets = secretsFromFiles(set);
  const present: Variables = { ...set, ...secrets.values };
  const parsed = Object.entries(shape).map(
    ([variable, schema]) => [variable, z.safeParse(schema, present[variable])] as const,
  );
  const values = Object.fromEntries(parsed.map(([variable, { data }]) => [variable, data])) as z.infer<
    z.ZodObject<Shape>
  >;
  const faults = [
    ...secrets.faults,
    ...parsed.flatMap(([variable, { error }]) =>
      (error?.issues ?? []).map(({ message: rule }): SettingFault =>
        SECRETS.has(variable) ? { variable, rule } : { variable, value: present[variable] ?? '', rule },
      ),
    ),
    ...conflicts(present, values),
  ];
  const order = Object.keys(shape);
  faults.sort((a, b) => order.indexOf(a.variable) - order.indexOf(b.variable));
  if (faults.length > 0) throw new SettingsFault(faults);
  return values;
}

/** Reads secrets that are set as files, without a final line break, as orchestrators mount them. */
function secretsFromFiles(env: Variables) {
  const values: Record<string, string> = {};
  const faults: SettingFault[] = [];
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const file = env[variable];
    if (!file) continue;
    if (env[name]) {
      faults.push({ variable, value: file, rule: `${name} is set, too; set only one of them` });
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const { code = 'an error' } = error as NodeJS.ErrnoException;
      faults.push({ variable, value: file, rule: `cannot be read (${code})` });
      continue;
    }
    if (values[name] === '') faults.push({ variable, value: file, rule: 'the file is empty' });
  }
  return { values, faults };
}
