/**
 * Opens the account database for one command and closes it again. A missing SQLite file is created only on
 * request: a command in the wrong folder would otherwise work on an empty database.
 */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import type { AccountsService } from '../accounts/application/accounts.service';
import type { UsageService } from '../accounts/application/usage.service';
import { isConfigured, type Account, type Actor } from '../accounts/domain/account';
import { errorMessage } from '../contract/problem';
import { readSettings } from '../settings/settings';
import { CliFailure } from './outcome';
import { printable } from './report/printable';

const SQLITE = 'sqlite:';

export interface Context {
  readonly accounts: AccountsService;
  readonly usage: UsageService;
  readonly database: string;
}

interface AccountsOptions {
  /** Whether log lines are JSON too. */
  readonly json?: boolean;
  /** Present if a missing database may be created. */
  readonly createDatabase?: boolean;
}

/** @throws CliFailure if there is no database, or it cannot be used */
export async function withAccounts<T>(
  { json = false, createDatabase }: AccountsOptions,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const settings = readSettings(process.env);
  const { databaseUrl } = settings.accounts;
  const file = sqliteFile(databaseUrl);
  const isNamed = Boolean(process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE']);
  const isCreated = createDatabase !== undefined && (createDatabase || isNamed);
  if (file !== undefined && !isCreated && !existsSync(file)) {
    const hint = createDatabase === undefined ? '' : '; --create-database creates a new one here';
    const advice = `Set DATABASE_URL to the service's database, or run this in its folder${hint}.`;
    throw new CliFailure(`There is no database at ${printable(file)}. ${advice}`);
  }
  // Loading the framework and the database is slow: only for commands that need them.
  const { openAccountStore } = await import('./account-store-context.js');
  const store = await openAccountStore(settings, !json).catch((error: unknown) => {
    throw new CliFailure(`The database cannot be opened: ${errorMessage(error)}`);
  });
  try {
    return await work({ ...store, database: databaseName(databaseUrl) });
  } catch (error) {
    if (!(error instanceof AccountStoreUnavailable)) throw error;
    throw new CliFailure(error.message);
  } finally {
    await store.close();
  }
}

/** A container may have no name for its user. */
export function commandLineUser(): Actor {
  try {
    return { actor: `user:${userInfo().username.slice(0, 64)}` };
  } catch {
    return { actor: `user:${process.getuid?.()}` };
  }
}

/** @throws CliFailure when there is none that can be changed */
export async function findAccount(accounts: AccountsService, idOrEmail: string): Promise<Account> {
  const account = await accounts.find(idOrEmail);
  if (!account) throw new CliFailure(`There is no account ${idOrEmail}.`);
  if (isConfigured(account))
    throw new CliFailure(`${idOrEmail} belongs to the configuration: change API_KEYS_FILE instead.`);
  return account;
}

/** Returns the address in DATABASE_URL without password and options; a SQLite file with its absolute path. */
export function databaseName(url: string): string {
  const file = sqliteFile(url);
  if (file !== undefined) return `${SQLITE}${file}`;
  if (url.startsWith(SQLITE)) return url;
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`;
  } catch {
    return 'PostgreSQL';
  }
}

/** Opening the database would create the file. */
function sqliteFile(url: string) {
  const isFile = url.startsWith(SQLITE) && url !== `${SQLITE}:memory:`;
  return isFile ? resolve(url.slice(SQLITE.length)) : undefined;
}
