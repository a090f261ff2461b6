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
    const defaultValue = shownDefault ?? (schema.def as { defaultValue?: unknown }).defaultValue;
    const accepts = acceptedBy(schema);
    return {
      name,
      meaning: description,
      ...(typeof defaultValue === 'string' ? { defaultValue } : {}),
      ...(accepts ? { accepts } : {}),
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
