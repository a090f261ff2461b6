/**
 * SQLite for TypeORM's `better-sqlite3` type: the part of that package's interface that TypeORM calls, on
 * @photostructure/sqlite. Its binaries fit every supported Node.js, so an installation compiles nothing
 * (docs/internals/decisions.md). Calls block the event loop.
 */
import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export type SqliteValue = null | number | string | Uint8Array;

/** SQLite's extended result code of a unique index; the package names only the low eight bits of a code. */
const UNIQUE_VIOLATION = 2067;
const load = createRequire(__filename);

/** A connection; TypeORM's `driver`. Its methods throw errors whose `code` begins with `SQLITE_`. */
export class SqliteDatabase {
  private readonly connection: DatabaseSyncInstance;

  /** @param options `timeout`: how long a statement waits for another connection's lock, in ms */
  constructor(file: string, { timeout = 0 }: { readonly timeout?: number } = {}) {
    // Loaded on first use, because a service with PostgreSQL also runs on platforms without a binary.
    const { DatabaseSync } = load('@photostructure/sqlite') as typeof import('@photostructure/sqlite');
    this.connection = withCode(() => new DatabaseSync(file, { timeout }));
  }

  prepare(sql: string): SqliteStatement {
    return new SqliteStatement(this.connection, sql);
  }

  pragma(text: string): unknown[] {
    return this.prepare(`PRAGMA ${text}`).all();
  }

  /** Empties the write-ahead log first: SQLite does so only once the last prepared statement is garbage collected. */
  close() {
    try {
      this.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk is full or another process is writing: the next connection reads the log.
    }
    this.connection.close();
  }
}

class SqliteStatement {
  /** Whether the statement returns rows: TypeORM then calls `all`, otherwise `run`. */
  readonly reader: boolean;

  private readonly statement: StatementSyncInstance;

  constructor(
    private readonly connection: DatabaseSyncInstance,
    private readonly sql: string,
  ) {
    this.statement = withCode(() => connection.prepare(sql));
    this.reader = this.statement.columns().length > 0;
  }

  all(...values: SqliteValue[]): unknown[] {
    return withCode((): unknown[] => this.statement.all(...values));
  }

  /** A full disk ends a transaction by itself; if `ROLLBACK` failed then, TypeORM would believe that it goes on. */
  run(...values: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    const isOver = this.sql === 'ROLLBACK' && !this.connection.isTransaction;
    return isOver ? { changes: 0, lastInsertRowid: 0 } : withCode(() => this.statement.run(...values));
  }
}

/** Runs the work and gives its errors the `code` of better-sqlite3, such as `SQLITE_FULL`. */
function withCode<T>(work: () => T) {
  try {
    return work();
  } catch (error) {
    const { errcode, sqliteCodeName } = error as { errcode?: number; sqliteCodeName?: string };
    if (sqliteCodeName === undefined) throw error;
    const code = errcode === UNIQUE_VIOLATION ? 'SQLITE_CONSTRAINT_UNIQUE' : sqliteCodeName;
    throw Object.assign(error as Error, { code });
  }
}
