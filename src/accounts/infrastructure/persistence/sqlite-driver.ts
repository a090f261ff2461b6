/**
 * Selects the version of better-sqlite3 that works on the running Node.js.
 *
 * Version 13 is built on Node-API and ships its binaries, so Node.js 22 and newer compile nothing; it crashes on
 * Node.js 20. Version 12 works there, but from Node.js 24.19 on its finalizers abort the process during garbage
 * collection. Remove version 12 (`better-sqlite3-node20`) and this file when `engines` in package.json requires Node.js 22.
 */
import { createRequire } from 'node:module';
import type Driver from 'better-sqlite3';

const FIRST_MAJOR_OF_VERSION_13 = 22;
const load = createRequire(__filename);

/** The package that TypeORM uses as its `driver`. */
export const sqlitePackage =
  Number(process.versions.node.split('.')[0]) < FIRST_MAJOR_OF_VERSION_13
    ? 'better-sqlite3-node20'
    : 'better-sqlite3';

/**
 * Returns the driver.
 * @throws Error when better-sqlite3 12 is missing on Node.js 20; it is an optional dependency whose build may fail
 */
export function loadSqliteDriver(): typeof Driver {
  try {
    return load(sqlitePackage) as typeof Driver;
  } catch (error) {
    throw new Error(
      `SQLite is unavailable: ${sqlitePackage} is not installed. ` +
        'Use Node.js 22 or newer, or install with scripts enabled, a C++ compiler and Python.',
      { cause: error },
    );
  }
}
