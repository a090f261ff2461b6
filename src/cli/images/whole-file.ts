/**
 * Reads and writes whole files: no other program ever sees a partly written one. Other users may rename, link or change
 * anything in the folder in the meantime, so mode, owner and times are set on the open handle, never by path.
 */
import { randomUUID } from 'node:crypto';
import { constants, unlinkSync, type BigIntStats } from 'node:fs';
import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, FileFault } from './file-faults';
import { makeFolder } from './within-folder';

/** Temporary files that are being written; removed when the process ends. */
const temporaries = new Set<string>();
process.on('exit', () => {
  for (const path of temporaries) {
    try {
      unlinkSync(path);
    } catch {
      // It was renamed or removed at the same time.
    }
  }
});

/** Read and write for the owner, until the file has its own owner and mode. */
const PRIVATE = 0o600;
/** For a new file; the system subtracts the umask. */
const NEW_FILE = 0o666;
/** Without set-uid, set-gid and sticky: a compressed image is not a program, and its owner may differ. */
const PERMISSIONS = 0o777;

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** Does not follow a link in the last part of the path, and does not wait for a pipe. */
export async function readWhole(path: string): Promise<WholeFile> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new FileFault('not_a_file', 'This is not a regular file.');
    return { stats, bytes: await file.readFile() };
  } finally {
    await file.close();
  }
}

/** Writes a temporary file on the same disk and renames it. It gets the times, mode and, if allowed, owner of `like`. */
export async function writeWhole(path: string, bytes: Uint8Array, like?: BigIntStats): Promise<void> {
  await makeFolder(dirname(path));
  await writeThenRename(path, bytes, like);
}

/**
 * Replaces the file that was read, in the same way.
 * @param keep gives the original a second name just before it is replaced; returns a function that removes that name
 * @throws FileFault when the file has changed since; then it is left alone.
 */
export async function replaceWhole(
  path: string,
  bytes: Uint8Array,
  source: BigIntStats,
  keep?: () => Promise<() => Promise<void>>,
): Promise<void> {
  let undo: (() => Promise<void>) | undefined;
  try {
    await writeThenRename(path, bytes, source, async () => {
      const now = await lstat(path, { bigint: true });
      const isSame = (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
        (key) => now[key] === source[key],
      );
      if (!isSame) throw changedMeanwhile();
      undo = await keep?.();
    });
  } catch (error) {
    await undo?.();
    throw error;
  }
}

/** Writes a new file with the given times, mode and owner. @throws NodeJS.ErrnoException EEXIST if one is there */
async function writeNew(path: string, { bytes, stats }: WholeFile): Promise<void> {
  const file = await open(path, 'wx', PRIVATE);
  try {
    await file.writeFile(bytes);
    await resemble(file, stats);
    await file.sync();
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

function changedMeanwhile(): FileFault {
  return new FileFault(
    'changed',
    'It was changed while it was being compressed, so it was left alone. Run the command again.',
  );
}

async function writeThenRename(
  path: string,
  bytes: Uint8Array,
  like: BigIntStats | undefined,
  beforeRename?: () => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `.ics-${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx', like ? PRIVATE : NEW_FILE);
  temporaries.add(temporary);
  try {
    try {
      await file.writeFile(bytes);
      if (like) await resemble(file, like);
      // After a power failure the new name must not stand for an empty file.
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeRename?.();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    temporaries.delete(temporary);
  }
}

async function resemble(file: FileHandle, { uid, gid, mode, atimeMs, mtimeMs }: BigIntStats): Promise<void> {
  // Only root may change the owner; all other users own the new file already.
  await file.chown(Number(uid), Number(gid)).catch(() => undefined);
  await file.chmod(Number(mode) & PERMISSIONS);
  await file.utimes(Number(atimeMs) / 1000, Number(mtimeMs) / 1000);
}

/** What file systems report that have no hard links, and systems that do not allow one to the file of another user. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Gives a file a second name before it is replaced, so that the original stays as it is, with its attributes. Without hard
 * links it makes a copy. A file that already has this name is never touched.
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
