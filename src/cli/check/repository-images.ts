/**
 * Finds the images that `ics check` looks at: in a git repository those that git tracks or would add,
 * elsewhere all but hidden files and node_modules. A link could lead out of the repository, so none is
 * followed.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ignore from 'ignore';
import type { Formats } from '../../contract/formats';
import { userFolder } from '../../environment/settings-slice';
import { findInputs, isUnreadable, listFiles, type Inputs } from '../images/inputs';
import { listedByGit } from './git-listing';

/** Typed files are always checked, whatever .gitignore says, and all of a built site; links never are. `excluded` has patterns of .gitignore. */
export function findRepositoryImages(
  typed: readonly string[],
  excluded: readonly string[],
  isSite: boolean,
  formats: Formats,
): Promise<Inputs> {
  const exclusions = ignore().add([...excluded]);
  const isLeftOut = (path: string) => {
    const name = relative(userFolder, path);
    return ignore.isPathValid(name) && exclusions.ignores(name);
  };
  const list = isSite ? {} : { list: filesBelow };
  return findInputs(typed, { ...list, formats, isLeftOut, isOfRepository: true });
}

/** Returns regular files, without those behind a link to another folder, and names that cannot be opened. */
async function filesBelow(folder: string) {
  const names = (await listedByGit(folder)) ?? (await listFiles(folder, '**/*', ['**/node_modules/**']));
  const root = await realpath(folder);
  const isInside = new Map<string, boolean>();
  const files: string[] = [];
  for (const name of names) {
    const parent = dirname(name);
    if (!isInside.has(parent)) {
      const real = await realpath(join(folder, parent)).catch(() => undefined);
      isInside.set(parent, real === join(root, parent));
    }
    // Git also lists links, and files that have been deleted.
    const entry = isInside.get(parent) && (await lstat(join(folder, name)).catch(() => undefined));
    const isListed = entry ? entry.isFile() || name.endsWith('/') : await isUnreadable(folder, name);
    if (isListed) files.push(name);
  }
  return files;
}
