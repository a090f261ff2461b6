/**
 * Creates a folder and its parents, one at a time: with `recursive: true`, Node.js never returns if the system refuses
 * a new folder with ENOENT, as /proc does.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './file-faults';

/** @throws NodeJS.ErrnoException when a folder cannot be created */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = path;
  while (folder !== dirname(folder) && !(await exists(folder))) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const name of missing) await mkdir(name).catch(unlessCode('EEXIST'));
}

async function exists(path: string): Promise<boolean> {
  const entry = await stat(path).catch(unlessCode('ENOENT'));
  return entry !== undefined;
}

/** Several images may need the same folder at the same time. */
export function unlessCode(code: string) {
  return (error: unknown): undefined => {
    if (codeOf(error) !== code) throw error;
  };
}
