/**
 * Reaches files below a folder without following links on the way, which could lead a result out of it. On
 * Linux every folder is held open and its files are named through /proc, so that a folder which is exchanged
 * for a link meanwhile changes nothing. Elsewhere a folder is checked just before it is used.
 */
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { FileFault, findCode, unlessCode } from './file-fault';

const OPEN_FILES = '/proc/self/fd';
const canHold = process.platform === 'linux' && existsSync(OPEN_FILES);
/** Linux: a folder may be passed through without the right to list it. Node.js has no name for it. */
const O_PATH = 0o10000000;

interface HeldFolder {
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** @param root may be a link itself. @throws FileFault `symbolic_link` for a link below it, `outside_folder` */
export async function withinFolder<T>(
  root: string,
  path: string,
  use: (path: string) => Promise<T>,
  creates = false,
): Promise<T> {
  const folders = relative(root, dirname(path)).split(sep).filter(Boolean);
  if (folders.includes('..')) throw new FileFault('outside_folder', `${path} is outside of ${root}.`);
  if (creates) await makeFolder(root);
  let folder = await hold(root);
  try {
    let shown = basename(root);
    for (const name of folders) {
      const next = join(folder.path, name);
      shown = join(shown, name);
      if (creates) await mkdir(next).catch(unlessCode('EEXIST'));
      const parent = folder;
      folder = await holdUnlessLink(next, shown);
      await parent.close();
    }
    return await use(join(folder.path, basename(path)));
  } finally {
    await folder.close();
  }
}

async function holdUnlessLink(path: string, shown: string): Promise<HeldFolder> {
  try {
    if (!canHold && (await lstat(path)).isSymbolicLink()) throw linked(shown);
    return await hold(path, constants.O_NOFOLLOW);
  } catch (error) {
    const isRefused = ['ENOTDIR', 'ELOOP'].includes(findCode(error) ?? '');
    throw isRefused && (await lstat(path)).isSymbolicLink() ? linked(shown) : error;
  }
}

async function hold(path: string, flags = 0): Promise<HeldFolder> {
  if (!canHold) return { path, close: () => Promise.resolve() };
  const folder = await open(path, O_PATH | constants.O_DIRECTORY | flags);
  return { path: join(OPEN_FILES, String(folder.fd)), close: () => folder.close() };
}

function linked(shown: string) {
  return new FileFault(
    'symbolic_link',
    `${shown} is a symbolic link, and links to folders are not followed. Remove it, or name the folder that it points to.`,
  );
}

/** Creates a folder and its parents. With `recursive: true`, Node.js never returns where the system refuses with ENOENT, as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = path;
  while (folder !== dirname(folder) && !(await stat(folder).catch(unlessCode('ENOENT')))) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const name of missing) await mkdir(name).catch(unlessCode('EEXIST'));
}
