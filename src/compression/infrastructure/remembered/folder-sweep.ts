/** Limits the size of a folder of results: removes the least recently used, and unfinished files of crashed writers. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of folders, results and unfinished files; nothing else is ever removed. */
const FOLDER = /^[0-9a-f]{2}$/;
const RESULT = /^[0-9a-f]{62}\.result$/;
const UNFINISHED = /^\.[0-9a-f-]{36}\.tmp$/;
/** An unfinished file of this age is abandoned. */
const ABANDONED_MS = 10 * 60_000;
/** A sweep removes files down to this share, to leave room until the next one. */
const KEPT_SHARE = 0.9;

interface Found {
  readonly path: string;
  readonly bytes: number;
  readonly usedAtMs: number;
}

/** Returns the size of the remaining results. Other processes may write and sweep at the same time. */
export async function sweep(folder: string, capacityBytes: number): Promise<number> {
  const results: Found[] = [];
  for (const name of (await readdir(folder)).filter((one) => FOLDER.test(one))) {
    for (const file of await readdir(join(folder, name))) {
      const isResult = RESULT.test(file);
      if (!isResult && !UNFINISHED.test(file)) continue;
      const path = join(folder, name, file);
      const entry = await stat(path).catch(() => undefined);
      if (!entry?.isFile()) continue;
      if (isResult) results.push({ path, bytes: entry.size, usedAtMs: entry.mtimeMs });
      else if (Date.now() - entry.mtimeMs > ABANDONED_MS) await remove(path);
    }
  }
  let bytes = results.reduce((sum, result) => sum + result.bytes, 0);
  if (bytes <= capacityBytes) return bytes;
  for (const result of results.sort((a, b) => a.usedAtMs - b.usedAtMs)) {
    if (bytes <= capacityBytes * KEPT_SHARE) break;
    await remove(result.path);
    bytes -= result.bytes;
  }
  return bytes;
}

/** Another process may have removed the file. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}
