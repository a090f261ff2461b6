/** No program ever sees a partly written file. Mode, owner and times are set on the open handle, as paths may be exchanged. */
import { randomUUID } from 'node:crypto';
import { constants, unlinkSync, type BigIntStats } from 'node:fs';
import { lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findCode, FileFault } from './file-faults';
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

const CHANGED = 'It was changed while it was being compressed, so it was left alone. Run the command again.';

/** Read and write for the owner, until the file has its own owner and mode. */
const PRIVATE = 0o600;
/** The system subtracts the umask. */
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

/** Through a temporary file on the same disk. The result gets the times, mode and, if allowed, owner of `like`. */
export async function writeWhole(path: string, bytes: Uint8Array, like?: BigIntStats): Promise<void> {
  await makeFolder(dirname(path));
  await writeThenRename(path, bytes, like);
}

/** @param keep copies the original and returns its undoing. @throws FileFault when the file has changed since */
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
      if (!isSame) throw new FileFault('changed', CHANGED);
      undo = await keep?.();
    });
  } catch (error) {
    await undo?.();
    throw error;
  }
}

/** @throws NodeJS.ErrnoException EEXIST if a file is there */
async function writeNew(path: string, bytes: Uint8Array, like?: BigIntStats): Promise<void> {
  const file = await open(path, 'wx', like ? PRIVATE : NEW_FILE);
  try {
    await file.writeFile(bytes);
    if (like) await resemble(file, like);
    // After a power failure the new name must not stand for an empty file.
    await file.sync();
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function writeThenRename(
  path: string,
  bytes: Uint8Array,
  like: BigIntStats | undefined,
  beforeRename?: () => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `.ics-${randomUUID()}.tmp`);
  temporaries.add(temporary);
  try {
    await writeNew(temporary, bytes, like);
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

/** @returns a function that removes the copy. @throws FileFault when something else has that name */
export async function keepOriginal(backup: string, original: WholeFile): Promise<() => Promise<void>> {
  try {
    await writeNew(backup, original.bytes, original.stats);
    return () => unlink(backup).catch(() => undefined);
  } catch (error) {
    if (findCode(error) !== 'EEXIST') throw error;
  }
  // An earlier run may have been killed between the copy and the replacement.
  const isCopy = await readWhole(backup).then(
    ({ bytes }) => bytes.equals(original.bytes),
    () => false,
  );
  if (isCopy) return () => Promise.resolve();
  throw new FileFault(
    'backup_exists',
    `${basename(backup)} already exists, so the file was left alone. Move the backup away, or choose another --backup.`,
  );
}
