/** The settings of the process: read once at startup, checked as a whole and frozen. */
import { z } from 'zod';
import { accountsSlice } from '../accounts/accounts.settings';
import { compressionSlice } from '../compression/compression.settings';
import { readVariables } from '../environment/read-variables';
import type { SettingsSlice, Variables } from '../environment/settings-slice';
import { httpSlice } from '../http/http.settings';
import { observabilitySlice } from '../observability/observability.settings';
import { rateLimitSlice } from '../rate-limit/rate-limit.settings';
import { tinifySlice } from '../tinify/tinify.settings';
import { webSlice } from '../web/web.settings';

/** The settings of every capability by name, in the order of docs/configuration.md. */
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

type SettingsOf<Declared extends Slices> = {
  readonly [Name in keyof Declared]: ReturnType<Declared[Name]['read']>;
};

export type Settings = SettingsOf<typeof SLICES>;

/** Returns every variable of the slices. */
export function variablesOf(slices: Slices): Record<string, z.ZodType> {
  return Object.assign({}, ...Object.values(slices).map(({ variables }) => variables)) as Record<
    string,
    z.ZodType
  >;
}

/**
 * Returns the settings from the environment and from the secret files that it names.
 * @throws SettingsFault that lists every invalid variable
 */
export function readSettings(env: Variables): Settings {
  return readSlices(SLICES, env);
}

/** The same for any slices. */
export function readSlices<Declared extends Slices>(slices: Declared, env: Variables): SettingsOf<Declared> {
  const values = readVariables(z.object(variablesOf(slices)), env, (present) =>
    Object.values(slices).flatMap((slice) => slice.conflicts?.(present) ?? []),
  );
  const settings = Object.entries(slices).map(([name, slice]) => [name, slice.read(values)]);
  return deepFreeze(Object.fromEntries(settings) as SettingsOf<Declared>);
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  }
  return Object.freeze(value);
}
