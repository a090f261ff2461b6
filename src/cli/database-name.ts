/** Names the database of a command, without its password. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const SQLITE = 'sqlite:';

/** Returns the address in DATABASE_URL without password and options; a SQLite file with its absolute path. */
export function databaseName(url: string): string {
  const file = fileOf(url);
  if (file !== undefined) return `${SQLITE}${file}`;
  if (url.startsWith(SQLITE)) return url;
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`;
  } catch {
    return 'PostgreSQL';
  }
}

/** Returns the path of a SQLite file that does not exist yet; opening the database would create it. */
export function missingFile(url: string): string | undefined {
  const file = fileOf(url);
  return file !== undefined && !existsSync(file) ? file : undefined;
}

/** Returns whether the environment names a database. */
export function isDatabaseNamed(): boolean {
  return Boolean(process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE']);
}

function fileOf(url: string): string | undefined {
  const isFile = url.startsWith(SQLITE) && url !== `${SQLITE}:memory:`;
  return isFile ? resolve(url.slice(SQLITE.length)) : undefined;
}
