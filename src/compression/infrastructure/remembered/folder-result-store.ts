/**
 * Stores results in a folder that replicas can share. Files are written under a temporary name, renamed, and checked when
 * read, so a writer may be killed at any time. Disk errors only cost the benefit of the cache.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, rename, unlink, writeFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ResultStore } from '../../application/running/result-store.port';
import type { CompressedImage } from '../../domain/compression-report';
import { encodeResult, openResult, type ResultFile } from './result-file';

/** Images are private. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Share of the capacity that this process may write before it measures the folder again. */
const SWEEP_SHARE = 1 / 16;
/** The time of last use is updated at most this often, to avoid writes on a network folder. */
const TOUCH_MS = 60_000;
const FAULT_PAUSE_MS = 60_000;

export class FolderResultStore extends ResultStore {
  private writtenBytes = 0;
  private sweptBytes = 0;
  private sweeping: Promise<void> | undefined;
  private lastFaultAt = -Infinity;

  /** @param onFault called for disk errors, at most once a minute */
  private constructor(
    private readonly folder: string,
    private readonly capacityBytes: number,
    private readonly onFault: (error: unknown) => void,
  ) {
    super();
  }

  /** Creates the folder. @throws when it cannot be written to */
  static async open(
    folder: string,
    capacityBytes: number,
    onFault: (error: unknown) => void,
  ): Promise<FolderResultStore> {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const store = new FolderResultStore(folder, capacityBytes, onFault);
    void store.keepWithinSize();
    return store;
  }

  async find(key: string, admit: (bytes: number) => void): Promise<CompressedImage | undefined> {
    const file = await this.tolerant(() => openResult(this.pathOf(key), key));
    if (!file) return undefined;
    try {
      if (file.bytes > 0) admit(file.bytes);
      return await this.tolerant(() => readAndTouch(file));
    } finally {
      await this.tolerant(() => file.close());
    }
  }

  async save(key: string, result: CompressedImage): Promise<void> {
    await this.tolerant(async () => {
      const path = this.pathOf(key);
      const parts = await encodeResult(key, result);
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      if (bytes > this.capacityBytes) return;
      await writeAside(path, parts);
      this.writtenBytes += bytes;
    });
    // A sweep in progress may have missed the new file.
    await this.sweeping;
    const isOver = this.sweptBytes + this.writtenBytes > this.capacityBytes;
    if (isOver || this.writtenBytes > this.capacityBytes * SWEEP_SHARE) await this.keepWithinSize();
  }

  private keepWithinSize(): Promise<void> {
    this.sweeping ??= this.tolerant(async () => {
      const written = this.writtenBytes;
      this.sweptBytes = await sweep(this.folder, this.capacityBytes);
      this.writtenBytes -= written;
    }).finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private pathOf(key: string): string {
    return join(this.folder, key.slice(0, 2), `${key.slice(2)}.result`);
  }

  private async tolerant<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - this.lastFaultAt > FAULT_PAUSE_MS) {
        this.lastFaultAt = performance.now();
        this.onFault(error);
      }
      return undefined;
    }
  }
}

async function readAndTouch(file: ResultFile): Promise<CompressedImage | undefined> {
  const result = await file.read();
  if (result && Date.now() - file.modifiedAtMs > TOUCH_MS) await file.touch();
  return result;
}

/** Does not fsync: after a power failure the checksum reveals an incomplete file. */
async function writeAside(path: string, parts: readonly Uint8Array[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const aside = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await writeFile(aside, parts, { flag: 'wx', mode: PRIVATE_FILE });
    await rename(aside, path);
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    throw error;
  }
}

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

/**
 * Removes the least recently used results beyond the capacity, and unfinished files of crashed writers. Other processes may write and
 * sweep at the same time.
 * @returns the size of the remaining results
 */
async function sweep(folder: string, capacityBytes: number): Promise<number> {
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
