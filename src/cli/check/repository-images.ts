/** Finds the images of a repository: those that git tracks or would add. Ignored files are left out. */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import ignore from 'ignore';
import { glob } from 'tinyglobby';
import { CliFailure } from '../outcome';
import { faultOf, type Fault } from '../images/file-faults';
import { IMAGE_NAME, isImage } from '../images/sniff';
import { isBackup, type Input, type Inputs } from '../images/inputs';
import { listedByGit } from './git-listing';

/**
 * Files that are typed are always checked, whatever .gitignore says; links never are.
 * @param excluded patterns as .gitignore has them, relative to `from`
 * @throws CliFailure when git refuses to list a repository
 */
export async function findRepositoryImages(
  typed: readonly string[],
  from: string,
  excluded: readonly string[],
): Promise<Inputs> {
  const exclusions = ignore().add([...excluded]);
  const images = new Map<string, Input>();
  const faults: ({ shown: string } & Fault)[] = [];
  let passedOver = 0;
  let backups = 0;
  const add = (path: string, root: string): void => {
    const shown = relative(from, path);
    if (ignore.isPathValid(shown) && exclusions.ignores(shown)) return;
    images.set(path, { path, root, shown, below: shown });
  };
  for (const name of typed) {
    const path = resolve(from, name);
    try {
      const entry = await lstat(path);
      if (entry.isFile()) add(path, dirname(path));
      if (!entry.isDirectory()) continue;
      for (const file of await filesBelow(path)) {
        // What is only named like an image is reported when it is read.
        if (!IMAGE_NAME.test(file) && !(await isImage(file))) passedOver++;
        else if (await isBackup(file)) backups++;
        else add(file, path);
      }
    } catch (error) {
      const fault = error instanceof CliFailure ? undefined : faultOf(error);
      if (fault === undefined) throw error;
      faults.push({ shown: name, ...fault });
    }
  }
  return { images: [...images.values()], faults, passedOver, misnamed: [], backups, hasFolder: true };
}

/** Returns regular files, without those behind a link to another folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const names = (await listedByGit(folder)) ?? (await listedByName(folder));
  const root = await realpath(folder);
  const folders = new Map<string, boolean>();
  const files: string[] = [];
  for (const name of names.sort()) {
    const parent = dirname(name);
    if (!folders.has(parent)) {
      const real = await realpath(join(folder, parent)).catch(() => undefined);
      folders.set(parent, real === join(root, parent));
    }
    const path = join(folder, name);
    // Git also lists links, and files that have been deleted.
    const isFile = folders.get(parent) && (await lstat(path).catch(() => undefined))?.isFile();
    if (isFile) files.push(path);
  }
  return files;
}

function listedByName(folder: string): Promise<string[]> {
  const ignored = ['**/node_modules/**'];
  return glob('**/*', { cwd: folder, ignore: ignored, followSymbolicLinks: false, expandDirectories: false });
}
