/** The settings reference for docs/configuration.md, derived from the schema that parses the environment. */
import type { z } from 'zod';
import { SLICES, variablesOf } from './settings';

export interface SettingReference {
  readonly name: string;
  /** As written in the environment; absent if there is no default. */
  readonly defaultValue?: string;
  readonly accepts?: string;
  readonly meaning: string;
}

/** Returns one entry per environment variable, in the order of the schema. */
export function settingsReference(): SettingReference[] {
  return Object.entries(variablesOf(SLICES)).map(([name, schema]) => {
    const { description = '', shownDefault } = schema.meta() ?? {};
    const definition = schema.def as { defaultValue?: unknown; innerType?: z.ZodType };
    const defaultValue = shownDefault ?? definition.defaultValue;
    const accepts = acceptedBy(definition.innerType ?? schema);
    return {
      name,
      meaning: description,
      ...(typeof defaultValue === 'string' ? { defaultValue } : {}),
      ...(accepts ? { accepts } : {}),
    };
  });
}

function acceptedBy(schema: z.ZodType): string | undefined {
  const { entries, in: text } = schema.def as { entries?: Record<string, string>; in?: z.ZodType };
  if (entries) return Object.values(entries).join(', ');
  const accepts = schema.meta()?.['accepts'];
  // A conversion accepts what is converted.
  return typeof accepts === 'string' ? accepts : text && acceptedBy(text);
}
