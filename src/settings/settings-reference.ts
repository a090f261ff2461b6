/** The settings as a table for people: read from the schema that reads the environment, so that both say the same. */
import type { z } from 'zod';
import { environment } from './environment';

export interface SettingReference {
  readonly name: string;
  /** As it would be written in the environment; absent when there is none. */
  readonly defaultValue?: string;
  readonly accepts?: string;
  readonly meaning: string;
}

export function settingsReference(): SettingReference[] {
  return Object.entries(environment.shape).map(([name, schema]) => {
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
  const { entries } = schema.def as { entries?: Record<string, string> };
  if (entries) return Object.values(entries).join(', ');
  const accepts = schema.meta()?.['accepts'];
  return typeof accepts === 'string' ? accepts : undefined;
}
