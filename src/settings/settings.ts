/** Read once at startup, checked as a whole and frozen. */
import type { z } from 'zod';
import { REMOVED_SETTINGS } from '../contract/removed';
import { AccountsSettings } from '../accounts/accounts.settings';
import { CompressionSettings } from '../compression/compression.settings';
import { SECRETS } from '../environment/secrets';
import {
  readVariables,
  setVariables,
  type SettingFault,
  type SettingsSlice,
  type Variables,
} from '../environment/settings-slice';
import { HttpSettings } from '../http/http.settings';
import { ObservabilitySettings } from '../observability/observability.settings';
import { RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { TinifySettings } from '../tinify/tinify.settings';
import { WebSettings } from '../web/web.settings';
import { nearestSetting } from './misspelt-settings';

export const SLICES = {
  http: HttpSettings,
  accounts: AccountsSettings,
  rateLimit: RateLimitSettings,
  compression: CompressionSettings,
  tinify: TinifySettings,
  observability: ObservabilitySettings,
  web: WebSettings,
};

type Slices = Readonly<Record<string, SettingsSlice<z.ZodRawShape, unknown>>>;

type AllOf<Declared extends Slices> = {
  readonly [Name in keyof Declared]: Readonly<ReturnType<Declared[Name]['read']>>;
};

export type Settings = AllOf<typeof SLICES>;

export function listVariables(slices: Slices): Record<string, z.ZodType> {
  return Object.assign({}, ...Object.values(slices).map(({ variables }) => variables)) as Record<
    string,
    z.ZodType
  >;
}

/** @throws SettingsFault that lists every invalid variable */
export function readSettings(env: Variables): Settings {
  return readSlices(SLICES, env);
}

/** The same for a start of the service, which also refuses misspelt access controls. @throws SettingsFault */
export function readServiceSettings(env: Variables): Settings {
  return readSlices(SLICES, env, (present) => [
    ...Object.values<Slices[string]>(SLICES).flatMap((slice) => slice.faultsAtStart?.(present) ?? []),
    ...misspeltSettings(present).filter(({ decidesAccess }) => decidesAccess),
  ]);
}

/** Returns the variables that are no settings but resemble one. */
export function misspeltSettings(env: Variables): (SettingFault & { readonly decidesAccess: boolean })[] {
  const settings = settingsReference();
  const known = [...settings.map(({ name }) => name), ...[...SECRETS].map((name) => `${name}_FILE`)];
  return Object.keys(setVariables(env)).flatMap((variable) => {
    if (known.includes(variable) || variable in REMOVED_SETTINGS) return [];
    const meant = nearestSetting(variable, known);
    if (!meant) return [];
    const decidesAccess = settings.some(({ name, decidesAccess }) => name === meant && decidesAccess);
    return [{ variable, decidesAccess, rule: `is not a setting; did you mean ${meant}?` }];
  });
}

export function readSlices<Declared extends Slices>(
  slices: Declared,
  env: Variables,
  moreFaults: (present: Variables) => SettingFault[] = () => [],
): AllOf<Declared> {
  const values = readVariables(listVariables(slices), env, (present, valid) => [
    ...Object.values(slices).flatMap((slice) => slice.conflicts?.(present, valid) ?? []),
    ...removedSettings(present, slices),
    ...moreFaults(present),
  ]);
  const settings = Object.entries(slices).map(([name, slice]) => [name, slice.read(values)]);
  return deepFreeze(Object.fromEntries(settings) as AllOf<Declared>);
}

function removedSettings(present: Variables, slices: Slices): SettingFault[] {
  const known = listVariables(slices);
  return Object.entries(REMOVED_SETTINGS).flatMap(([variable, rule]) =>
    present[variable] === undefined || variable in known ? [] : [{ variable, rule }],
  );
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  }
  return Object.freeze(value);
}

export interface SettingReference {
  readonly name: string;
  /** As written in the environment; absent if there is no default. */
  readonly defaultValue: string | undefined;
  readonly accepts: string | undefined;
  readonly meaning: string;
  readonly decidesAccess: boolean;
}

export function settingsReference(): SettingReference[] {
  return Object.entries(listVariables(SLICES)).map(([name, schema]) => {
    const { description = '', shownDefault, decidesAccess = false } = schema.meta() ?? {};
    const defaultValue = shownDefault ?? (schema.def as { defaultValue?: unknown }).defaultValue;
    return {
      name,
      meaning: description,
      defaultValue: typeof defaultValue === 'string' ? defaultValue : undefined,
      accepts: acceptedBy(schema),
      decidesAccess: Boolean(decidesAccess),
    };
  });
}

/** Returns the accepted values: as the schema says, its words, or those of the schema inside a default or a conversion. */
function acceptedBy(schema: z.ZodType): string | undefined {
  const accepts = schema.meta()?.['accepts'];
  if (typeof accepts === 'string') return accepts;
  const definition = schema.def as {
    entries?: Record<string, string>;
    innerType?: z.ZodType;
    in?: z.ZodType;
  };
  if (definition.entries) return Object.values(definition.entries).join(', ');
  const inner = definition.innerType ?? definition.in;
  return inner && acceptedBy(inner);
}
