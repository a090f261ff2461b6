import { dirname, join } from 'node:path';
import type { Variant } from '../../compression/domain/sets/set-plan';
import type { Input } from '../images/inputs';

export interface SetJob {
  readonly input: Input;
  /** Below the output folder, without size and extension: `trips/lake`. */
  readonly key: string;
}

export function placeOf(
  { key }: SetJob,
  { name }: Variant,
  { output }: { readonly output: { readonly path: string; readonly shown: string } },
) {
  const below = join(dirname(key), name);
  return { root: output.path, path: join(output.path, below), shown: join(output.shown, below) };
}
