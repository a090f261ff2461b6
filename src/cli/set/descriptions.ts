/** `set.json`: the descriptions of the sets in a folder, which several commands may write at the same time. */
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SetDescription } from '../../sets/make-set';
import { FileFault, findCode, unlessCode } from '../../files/file-fault';
import { makeFolder } from '../../files/within-folder';
import { readWhole, writeWhole } from '../../files/whole-file';

/** By the name of the image. A map, because an image may be called `__proto__`. */
export type Descriptions = ReadonlyMap<string, SetDescription>;

/** Older locks belong to commands that were killed: reading and writing take milliseconds. */
const ABANDONED_MS = 10_000;
const RETRY_MS = 20;

/** None if the file is missing or damaged. */
export async function readDescriptions(path: string): Promise<Descriptions> {
  try {
    const { bytes } = await readWhole(path);
    const read: unknown = JSON.parse(bytes.toString());
    return new Map(Object.entries(typeof read === 'object' && read !== null ? read : {}));
  } catch {
    return new Map();
  }
}

/** Keeps the sets that are in the file by now. */
export async function addDescriptions(path: string, made: Descriptions): Promise<void> {
  await makeFolder(dirname(path));
  const lock = `${path}.lock`;
  await takeLock(lock);
  try {
    const all = Object.fromEntries([...(await readDescriptions(path)), ...made]);
    await writeWhole(path, Buffer.from(`${JSON.stringify(all, undefined, 2)}\n`));
  } finally {
    // Another command may have taken it for abandoned.
    await rmdir(lock).catch(unlessCode('ENOENT'));
  }
}

/** A folder is the lock: making one is atomic on every file system. */
async function takeLock(lock: string) {
  for (;;) {
    try {
      return await mkdir(lock);
    } catch (error) {
      if (findCode(error) !== 'EEXIST') throw error;
    }
    const since = await stat(lock).catch(() => undefined);
    if (since && Date.now() - since.mtimeMs > ABANDONED_MS) await removeAbandoned(lock);
    else await setTimeout(RETRY_MS);
  }
}

function removeAbandoned(lock: string) {
  return rmdir(lock).catch((error: unknown) => {
    const code = findCode(error) ?? '';
    if (code !== 'ENOENT') throw new FileFault(code, `${basename(lock)} is in the way. Remove it.`);
  });
}
