/** The settings of the process: read once at startup, checked as a whole and frozen. */
import { z } from 'zod';
import { accountsSlice } from '../accounts/accounts.settings';
import { compressionSlice } from '../compression/compression.settings';
import { readVariables, type Variables } from '../environment/read-variables';
import { httpSlice } from '../http/http.settings';
import { observabilitySlice } from '../observability/observability.settings';
import { rateLimitSlice } from '../rate-limit/rate-limit.settings';
import { tinifySlice } from '../tinify/tinify.settings';
import { webSlice } from '../web/web.settings';

/** Every variable of every capability, in the order of docs/configuration.md. */
export const environment = z.object({
  ...httpSlice.variables,
  ...accountsSlice.variables,
  ...rateLimitSlice.variables,
  ...compressionSlice.variables,
  ...tinifySlice.variables,
  ...observabilitySlice.variables,
  ...webSlice.variables,
});

export interface Settings {
  readonly http: ReturnType<typeof httpSlice.read>;
  readonly accounts: ReturnType<typeof accountsSlice.read>;
  readonly rateLimit: ReturnType<typeof rateLimitSlice.read>;
  readonly compression: ReturnType<typeof compressionSlice.read>;
  readonly tinify: ReturnType<typeof tinifySlice.read>;
  readonly observability: ReturnType<typeof observabilitySlice.read>;
  readonly web: ReturnType<typeof webSlice.read>;
}

/**
 * Returns the settings from the environment and from the secret files that it names.
 * @throws SettingsFault that lists every invalid variable
 */
export function readSettings(env: Variables): Settings {
  const values = readVariables(environment, env, (present) => [
    ...(accountsSlice.conflicts?.(present) ?? []),
    ...(compressionSlice.conflicts?.(present) ?? []),
  ]);
  return deepFreeze({
    http: httpSlice.read(values),
    accounts: accountsSlice.read(values),
    rateLimit: rateLimitSlice.read(values),
    compression: compressionSlice.read(values),
    tinify: tinifySlice.read(values),
    observability: observabilitySlice.read(values),
    web: webSlice.read(values),
  });
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  }
  return Object.freeze(value);
}
