/**
 * Disk space reserved for revocations and suspensions. On a full disk SQLite cannot write its log, so even revoking a leaked key
 * would fail. A file beside the database reserves some space; if such a write finds the disk full, the file is deleted, the
 * write is repeated, and the file is created again.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { databaseFileOf } from './database-file';
import { isDiskFull } from './store-outage';

/** Enough for the write-ahead log of one transaction: a few pages of 4 KiB, and its index of 32 KiB. */
const RESERVED_BYTES = 256 * 1024;

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
