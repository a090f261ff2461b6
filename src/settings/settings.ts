/** Read once at startup, checked as a whole and frozen. */
import type { z } from 'zod';
import { REMOVED_SETTINGS } from '../contract/removed';
import { accountsSlice } from '../accounts/accounts.settings';
import { compressionSlice } from '../compression/compression.settings';
import {
  readVariables,
  type SettingFault,
  type SettingsSlice,
  type Variables,
  type SettingsOf,
} from '../environment/settings-slice';
import { httpSlice } from '../http/http.settings';
import { observabilitySlice } from '../observability/observability.settings';
import { rateLimitSlice } from '../rate-limit/rate-limit.settings';
import { tinifySlice } from '../tinify/tinify.settings';
import { webSlice } from '../web/web.settings';

export const SLICES = {
  http: httpSlice,
  accounts: accountsSlice,
  rateLimit: rateLimitSlice,
  compression: compressionSlice,
  tinify: tinifySlice,
  observability: observabilitySlice,
  web: webSlice,
};

type Slices = Readonly<Record<string, SettingsSlice<z.ZodRawShape, unknown>>>;

type AllOf<Declared extends Slices> = { readonly [Name in keyof Declared]: SettingsOf<Declared[Name]> };

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

export function readSlices<Declared extends Slices>(slices: Declared, env: Variables): AllOf<Declared> {
  const values = readVariables(listVariables(slices), env, (present, valid) => [
    ...Object.values(slices).flatMap((slice) => slice.conflicts?.(present, valid) ?? []),
    ...removedSettings(present, slices),
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
}

export function settingsReference(): SettingReference[] {
  return Object.entries(listVariables(SLICES)).map(([name, schema]) => {
    const { description = '', shownDefault } = schema.meta() ?? {};
    const defaultValue = shownDefault ?? (schema.def as { defaultValue?: unknown }).defaultValue;
    return {
      name,
      meaning: description,
      defaultValue: typeof defaultValue === 'string' ? defaultValue : undefined,
      accepts: acceptedBy(schema),
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
