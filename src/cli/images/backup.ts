/** Keeps an original under a second name before it is replaced. A file that already has this name is never touched. */
import type { BigIntStats } from 'node:fs';
import { link, lstat, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf, FileFault } from './file-faults';
import { changedMeanwhile, writeNew, type WholeFile } from './whole-file';

/** What file systems report that have no hard links, and systems that do not allow one to the file of another user. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives the file a second name, so that the original stays as it is, with its attributes. Without hard links it makes a
 * copy.
 * @returns a function that removes the second name, for when the replacement fails
 * @throws FileFault when something else has that name, or the file has been replaced since it was read
 */
export async function keepOriginal(
  path: string,
  backup: string,
  original: WholeFile,
): Promise<() => Promise<void>> {
  const undo = () => unlink(backup).catch(() => undefined);
  try {
    await link(path, backup);
  } catch (error) {
    const code = codeOf(error) ?? '';
    // An earlier run may have been killed between the second name and the replacement.
    if (code === 'EEXIST' && (await isFileOf(backup, original.stats))) return () => Promise.resolve();
    if (code === 'EEXIST') throw exists(backup);
    if (!NO_HARD_LINKS.has(code)) throw error;
    await writeNew(backup, original).catch((fault: unknown) => {
      throw codeOf(fault) === 'EEXIST' ? exists(backup) : fault;
    });
    return undo;
  }
  if (await isFileOf(backup, original.stats)) return undo;
  await undo();
  throw changedMeanwhile();
}

async function isFileOf(path: string, { dev, ino }: BigIntStats): Promise<boolean> {
  const now = await lstat(path, { bigint: true });
  return now.dev === dev && now.ino === ino;
}

function exists(backup: string): FileFault {
  return new FileFault(
    'backup_exists',
    `${basename(backup)} already exists, so the file was left alone. Move the backup away, or choose another --backup.`,
  );
}
