import type { z } from 'zod';
import { SECRETS, secretsFromFiles } from './secrets';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the environment, one sentence each. */
export class SettingsFault extends Error {
  constructor(readonly faults: readonly string[]) {
    const count = faults.length === 1 ? 'an error' : `${faults.length} errors`;
    super(`The environment has ${count}:\n${faults.map((f) => `  - ${f}`).join('\n')}`);
  }
}

/**
 * Checks environment variables, and the files that they name for secrets.
 * @param conflicts invalid combinations of variables, one sentence each
 * @throws SettingsFault naming every variable that is wrong
 */
export function readVariables<Schema extends z.ZodObject>(
  schema: Schema,
  env: Variables,
  conflicts: (present: Variables) => readonly string[] = () => [],
): z.infer<Schema> {
  // An empty value means "not set": compose files and shells produce it for variables left blank.
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const secrets = secretsFromFiles(set);
  const present: Variables = { ...set, ...secrets.values };
  const parsed = schema.safeParse(present);
  const faults = [
    ...secrets.faults,
    ...(parsed.error?.issues ?? []).map((issue) => {
      const name = String(issue.path[0]);
      return `${name}${SECRETS.has(name) ? '' : `=${present[name] ?? ''}`}: ${issue.message}`;
    }),
    ...conflicts(present),
  ];
  if (!parsed.success || faults.length > 0) throw new SettingsFault(faults);
  return parsed.data;
}
