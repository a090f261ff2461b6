import { dirname, join } from 'node:path';
import type { Variant } from '../../compression/domain/sets/set-plan';

export function placeOf(
  { key }: { readonly key: string },
  { name }: Pick<Variant, 'name'>,
  { output }: { readonly output: { readonly path: string; readonly shown: string } },
) {
  const below = join(dirname(key), name);
  return { root: output.path, path: join(output.path, below), shown: join(output.shown, below) };
}
