/** Reads and writes files as wholes: nobody ever sees half of one, whatever happens meanwhile. */
import { unlinkSync, type Stats } from 'node:fs';
import { chmod, chown, mkdir, open, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileFault } from './file-faults';

/** Files aside that are being written; what is left of them goes when the process does. */
const aside = new Set<string>();
let written = 0;
process.on('exit', () => {
  for (const path of aside) {
    try {
      unlinkSync(path);
    } catch {
      // It has been renamed or removed in the same moment.
    }
  }
});

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

export async function readWhole(path: string): Promise<WholeFile> {
  const file = await open(path);
  try {
    return { stats: await file.stat(), bytes: await file.readFile() };
  } finally {
    await file.close();
  }
}

/**
 * Writes aside, on the same disk, and renames. With `like` the new file gets its times, its mode and, as far as the
 * system allows, its owner.
 */
export async function writeWhole(path: string, bytes: Uint8Array, like?: Stats): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.ics-${process.pid}-${++written}.tmp`);
  aside.add(temporary);
  try {
    // Flushed: after a power cut the new name must not stand for an empty file.
    await writeFile(temporary, bytes, { flag: 'wx', flush: true });
    if (like) await resemble(temporary, like);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    aside.delete(temporary);
  }
}

/** The same in place of the file that was read, unless somebody has changed that in the meantime. */
export async function replaceWhole(path: string, bytes: Uint8Array, source: Stats): Promise<void> {
  const now = await stat(path);
  if (now.mtimeMs !== source.mtimeMs || now.size !== source.size) {
    throw new FileFault('It was changed while it was compressed, and was left alone; run the command again.');
  }
  await writeWhole(path, bytes, source);
}

async function resemble(path: string, { uid, gid, mode, atime, mtime }: Stats): Promise<void> {
  // Only the administrator may give files away; for everybody else they have the right owner already.
  await chown(path, uid, gid).catch(() => undefined);
  await chmod(path, mode & 0o7777);
  await utimes(path, atime, mtime);
}
