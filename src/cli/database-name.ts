/** Which database a command works on, in words and without its password. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const SQLITE = 'sqlite:';

/** The address as DATABASE_URL has it, with the whole path of a file, and without password and options. */
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

/** The path of a SQLite file that is not there; opening the database would make it. */
export function missingFile(url: string): string | undefined {
  const file = fileOf(url);
  return file !== undefined && !existsSync(file) ? file : undefined;
}

/** Whether the environment says which database is meant. */
export function isDatabaseNamed(): boolean {
  return Boolean(process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE']);
}

function fileOf(url: string): string | undefined {
  const isFile = url.startsWith(SQLITE) && url !== `${SQLITE}:memory:`;
  return isFile ? resolve(url.slice(SQLITE.length)) : undefined;
}
