/**
 * Reads and writes whole files: no reader ever sees half of one. Other users may rename, link or change anything in
 * the folder meanwhile, so mode, owner and times are set on the open handle and never by path.
 */
import { randomUUID } from 'node:crypto';
import { constants, unlinkSync, type BigIntStats } from 'node:fs';
import { lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileFault } from './file-faults';
import { makeFolder } from './make-folder';

/** Temporary files that are being written; removed when the process ends. */
const temporaries = new Set<string>();
process.on('exit', () => {
  for (const path of temporaries) {
    try {
      unlinkSync(path);
    } catch {
      // It was renamed or removed at the same moment.
    }
  }
});

/** Read and write for the owner, until the file has its own owner and mode. */
const PRIVATE = 0o600;
/** Without a file to resemble; the system takes the umask away. */
const NEW_FILE = 0o666;
/** Without set-uid, set-gid and sticky: a compressed image is no program, and its owner may differ. */
const PERMISSIONS = 0o777;

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** Follows no link in the last part of the path, and waits for no pipe. */
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

/** Writes a temporary file on the same disk and renames it. With `like` it gets its times, mode and, if allowed, owner. */
export async function writeWhole(path: string, bytes: Uint8Array, like?: BigIntStats): Promise<void> {
  await makeFolder(dirname(path));
  await writeThenRename(path, bytes, like);
}

/**
 * The same over the file that was read.
 * @param keep gives the original a second name just before it is replaced; returns what takes that name away again
 * @throws FileFault when that file has changed since; it is left alone then.
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

/** Writes a file where there is none, with times, mode and owner. @throws NodeJS.ErrnoException EEXIST */
export async function writeNew(path: string, { bytes, stats }: WholeFile): Promise<void> {
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

export function changedMeanwhile(): FileFault {
  return new FileFault(
    'changed',
    'It was changed while it was compressed, and was left alone; run the command again.',
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
  // Only root may give files away; all other users own the new file already.
  await file.chown(Number(uid), Number(gid)).catch(() => undefined);
  await file.chmod(Number(mode) & PERMISSIONS);
  await file.utimes(Number(atimeMs) / 1000, Number(mtimeMs) / 1000);
}
