/**
 * The bytes of outputs as files beside a SQLite database: SQLite reads a whole value for each piece of it, and its calls
 * block the event loop. Readable only by the owner.
 */
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from '../../../files/file-fault';
import type { OutputPart } from '../../application/outputs.service';

const unlessMissing = unlessCode('ENOENT');
const PARTS: readonly OutputPart[] = ['upload', 'result'];

export class OutputFiles {
  constructor(private readonly folder: string) {}

  /** @param result undefined if it is the upload */
  async add(digest: string, upload: Uint8Array, result: Uint8Array | undefined): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const bytes = { upload, result };
    try {
      for (const part of PARTS)
        if (bytes[part]) await writeFile(this.pathOf(digest, part), bytes[part], { mode: 0o600 });
    } catch (error) {
      await this.remove(digest);
      throw error;
    }
  }

  /** Undefined if there is no such output. */
  async read(
    digest: string,
    part: OutputPart,
    from: number,
    length: number,
  ): Promise<Uint8Array | undefined> {
    const file = await open(this.pathOf(digest, part)).catch(unlessMissing);
    if (!file) return part === 'result' ? this.read(digest, 'upload', from, length) : undefined;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** The upload first: without its result it would be read as one. */
  async remove(digest: string): Promise<void> {
    for (const part of PARTS) await rm(this.pathOf(digest, part), { force: true });
  }

  /** Deletes files of which a process that was killed left no record. */
  async removeOlderThan(time: Date): Promise<void> {
    for (const name of (await readdir(this.folder).catch(unlessMissing)) ?? []) {
      const path = join(this.folder, name);
      const { mtimeMs = Infinity } = (await stat(path).catch(unlessMissing)) ?? {};
      if (mtimeMs < time.getTime()) await rm(path, { force: true });
    }
  }

  private pathOf(digest: string, part: OutputPart) {
    return join(this.folder, `${digest}.${part}`);
  }
}
