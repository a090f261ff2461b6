import type { z } from 'zod';

/** The settings of one capability: the environment variables that it reads, and the settings object made of them. */
export interface SettingsSlice<Shape extends z.ZodRawShape, Value> {
  /** The schema of each environment variable; its description appears in docs/configuration.md. */
  readonly variables: Shape;
  /** Returns the settings from valid variables. */
  read(values: z.infer<z.ZodObject<Shape>>): Value;
  /** Returns one sentence for each invalid combination of variables. */
  conflicts?(present: Readonly<Record<string, string | undefined>>): string[];
}

/** Infers the types of a slice. */
export function settingsSlice<Shape extends z.ZodRawShape, Value>(
  slice: SettingsSlice<Shape, Value>,
): SettingsSlice<Shape, Value> {
  return slice;
}
