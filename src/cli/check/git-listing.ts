/** The folder may be a stranger's, with a configuration and an index for git: git runs no program and connects nowhere here. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { CliFailure } from '../outcome';
import { findCode } from '../../files/file-fault';
import { printable } from '../report/printable';

const MOST_LISTED_BYTES = 512 * 1024 * 1024;
/** Git sets these for hooks, relative to the folder of the hook. Without them git finds the repository of the folder. */
const HOOK_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR'];
const SAFETY_OPTIONS = [
  ...['-c', 'core.fsmonitor=false'],
  // Without this, git obeys a sub-folder that looks like a git directory. Git before 2.38 does not know it.
  ...['-c', 'safe.bareRepository=explicit'],
];
const SAFETY_VARIABLES = {
  // A missing object makes git fetch, and the configuration may name any program for that. `-c protocol.allow=never`
  // would not stop it: `protocol.ext.allow` of the configuration is stronger, this variable is stronger than both.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
};
/** What git says about a git directory, or a folder laid out like one. */
const NO_WORK_TREE = /safe\.bareRepository|must be run in a work tree/;

/** @returns names relative to the folder; undefined outside of a repository, and without git. @throws CliFailure */
export async function listedByGit(folder: string): Promise<string[] | undefined> {
  const env = { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', ...SAFETY_VARIABLES };
  for (const name of HOOK_VARIABLES) Reflect.deleteProperty(env, name);
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const args = ['--no-pager', '-C', folder, ...SAFETY_OPTIONS, ...listing];
  // Windows looks for programs in the current folder first, which may hold a git.exe.
  const cwd = dirname(process.execPath);
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd, env, maxBuffer: MOST_LISTED_BYTES });
    return [...new Set(stdout.split('\0'))].filter((name) => isBelow(folder, name));
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (findCode(error) === 'ENOENT' && isInRepository(folder))
      throw new CliFailure(
        'git is not installed, so .gitignore cannot be read. Install git, or name the files.',
      );
    if (findCode(error) === 'ENOENT' || stderr.includes('not a git repository')) return undefined;
    if (NO_WORK_TREE.test(stderr)) {
      throw new CliFailure(
        `${printable(folder)} is a git directory, or looks like one. Check the folder above it, or name the files.`,
      );
    }
    throw new CliFailure(
      `git cannot list ${printable(folder)}: ${printable(stderr.trim().replace(/\s+/g, ' '))}`,
    );
  }
}

function isInRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
}

/** False for names that no index should hold: `../photo.jpg`, `/photo.jpg`, `.git/photo.jpg`. */
function isBelow(folder: string, name: string) {
  const path = relative(folder, join(folder, name));
  const parts = path.toLowerCase().split(sep);
  return (
    path !== '' && !isAbsolute(name) && !isAbsolute(path) && parts[0] !== '..' && !parts.includes('.git')
  );
}
