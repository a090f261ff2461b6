/**
 * The images of a repository: what git tracks, and what it would add. Ignored files are left out.
 * Git itself is asked, so that nested and global ignore files, negations and tracked files count as they do there.
 */
import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import ignore from 'ignore';
import { glob } from 'tinyglobby';
import { CliFailure } from '../exit';
import { codeOf, faultOf, type Fault } from '../images/file-faults';
import { isImage } from '../images/glance';
import type { Source, Sources } from '../images/sources';
import { printable } from '../terminal/printable';

/** Output of git for some million files. */
const MOST_LISTED_BYTES = 512 * 1024 * 1024;
/** Set by git for its hooks, relative to the folder of the hook: git shall look for the repository by itself. */
const HOOK_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR'];

/**
 * Files that are named are taken whatever .gitignore says; links never are.
 * @param excluded patterns as .gitignore has them, relative to `from`
 * @throws CliFailure when git refuses to list a repository
 */
export async function findRepositoryImages(
  typed: readonly string[],
  from: string,
  excluded: readonly string[],
): Promise<Sources> {
  const exclusions = ignore().add([...excluded]);
  const images = new Map<string, Source>();
  const faults: ({ shown: string } & Fault)[] = [];
  let passedOver = 0;
  const add = (path: string): void => {
    const shown = relative(from, path);
    if (ignore.isPathValid(shown) && exclusions.ignores(shown)) return;
    images.set(path, { path, shown, below: shown });
  };
  for (const name of typed) {
    const path = resolve(from, name);
    try {
      const entry = await lstat(path);
      if (entry.isFile()) add(path);
      if (!entry.isDirectory()) continue;
      for (const file of await filesBelow(path)) {
        if (await isImage(file)) add(file);
        else passedOver++;
      }
    } catch (error) {
      const fault = error instanceof CliFailure ? undefined : faultOf(error);
      if (fault === undefined) throw error;
      faults.push({ shown: name, ...fault });
    }
  }
  return { images: [...images.values()], faults, passedOver, misnamed: [], backups: 0, hasFolder: true };
}

/** Regular files, without those behind a link to another folder. */
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
    // Git still lists what has been deleted, and links.
    const isFile = folders.get(parent) && (await lstat(path).catch(() => undefined))?.isFile();
    if (isFile) files.push(path);
  }
  return files;
}

/** Undefined outside a repository, and without git. */
async function listedByGit(folder: string): Promise<string[] | undefined> {
  const env = { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
  for (const name of HOOK_VARIABLES) Reflect.deleteProperty(env, name);
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  // A repository may name a program for git to run here.
  const args = ['-C', folder, '-c', 'core.fsmonitor=false', ...listing];
  try {
    const { stdout } = await promisify(execFile)('git', args, { env, maxBuffer: MOST_LISTED_BYTES });
    return [...new Set(stdout.split('\0').filter(Boolean))];
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (codeOf(error) === 'ENOENT' || stderr.includes('not a git repository')) return undefined;
    throw new CliFailure(`git cannot list ${printable(folder)}: ${printable(stderr.trim())}`);
  }
}

function listedByName(folder: string): Promise<string[]> {
  const ignored = ['**/node_modules/**'];
  return glob('**/*', { cwd: folder, ignore: ignored, followSymbolicLinks: false, expandDirectories: false });
}
