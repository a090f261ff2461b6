/** The SQLite file: its permissions, whether it still exists, and the disk space that is reserved for it. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  statSync,
  existsSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DataSourceOptions, DataSource } from 'typeorm';
import { isDiskFull } from './database-tasks';

/** Returns the path of the SQLite file; undefined for PostgreSQL and for a database in memory. */
export function databaseFileOf(options: DataSourceOptions): string | undefined {
  const isFile = options.type === 'better-sqlite3' && options.database !== ':memory:';
  return isFile ? options.database : undefined;
}

/**
 * Creates the file and its folder if missing, readable only by their owner, because the file contains e-mail addresses. SQLite gives
 * its log and index the permissions of the file. An existing folder keeps its permissions.
 * @throws NodeJS.ErrnoException when the file cannot be created or read
 */
export function preparePrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  const { mode } = statSync(file);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch {
    // The file belongs to another user, so its permissions stay.
  }
}

/** Returns an identity that changes when the file is replaced; undefined if there is no such file. */
export function identityOf(file: string): string | undefined {
  const { dev, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${dev}:${ino}`;
}

/** Enough for the write-ahead log of one transaction: a few pages of 4 KiB, and its index of 32 KiB. */
const RESERVED_BYTES = 256 * 1024;

/**
 * Disk space reserved for revocations and suspensions. On a full disk SQLite cannot write its log, so even revoking a leaked key
 * would fail. A file beside the database reserves some space; if such a write finds the disk full, the file is deleted, the
 * write is repeated, and the file is created again.
 */
export class DiskReserve {
  private readonly file: string | undefined;

  constructor(private readonly dataSource: DataSource) {
    const database = databaseFileOf(dataSource.options);
    if (!database) return;
    this.file = `${database}-reserve`;
    this.take();
  }

  /** Runs the work. If the disk is full, releases the reserve and runs it once more. */
  async runWithReserve<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.file || !isDiskFull(error) || !existsSync(this.file)) throw error;
      rmSync(this.file, { force: true });
      const result = await work();
      // Empties the log but keeps the size of its file, so that the next revocation has space.
      await this.dataSource.query('PRAGMA wal_checkpoint(RESTART)');
      this.take();
      return result;
    }
  }

  /** Creates the reserve, on a full disk from the space that is left. Creates none in a read-only folder. */
  private take(): void {
    if (!this.file || existsSync(this.file)) return;
    try {
      // Random bytes, because some file systems compress data or store no blocks for zeros.
      writeFileSync(this.file, randomBytes(RESERVED_BYTES), { mode: 0o600 });
    } catch {
      // The audit trail grows with each revocation, so the next reserve may be smaller.
    }
  }
}
