import type { z } from 'zod';
import { SECRETS, secretsFromFiles } from './secrets';
import type { SettingFault, Variables } from './settings-slice';

/** The folder that names are relative to: the user's, which npm hides from scripts. */
export const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();

/** Everything that is wrong with the environment. `message` names the variables; other doors name their options. */
export class SettingsFault extends Error {
  constructor(readonly faults: readonly SettingFault[]) {
    const count = faults.length === 1 ? 'an error' : `${faults.length} errors`;
    const lines = faults.map(({ variable, value, rule }) => {
      return `  - ${variable}${value === undefined ? '' : `=${value}`}: ${rule}`;
    });
    super(`The environment has ${count}:\n${lines.join('\n')}`);
  }
}

/**
 * Checks environment variables, and the files that they name for secrets.
 * @param conflicts invalid combinations of variables
 * @throws SettingsFault naming every variable that is wrong
 */
export function readVariables<Schema extends z.ZodObject>(
  schema: Schema,
  env: Variables,
  conflicts: (present: Variables) => readonly SettingFault[] = () => [],
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
    ...(parsed.error?.issues ?? []).map(({ path, message: rule }): SettingFault => {
      const variable = String(path[0]);
      return SECRETS.has(variable) ? { variable, rule } : { variable, value: present[variable] ?? '', rule };
    }),
    ...conflicts(present),
  ];
  if (!parsed.success || faults.length > 0) throw new SettingsFault(faults);
  return parsed.data;
}
