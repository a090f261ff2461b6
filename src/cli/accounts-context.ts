import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import type { AccountsService } from '../accounts/application/accounts.service';
import type { UsageService } from '../accounts/application/usage.service';
import { isConfigured, type Account, type Actor } from '../accounts/domain/account';
import { messageOf } from '../contract/problem';
import { settingsWith } from './options';
import { CliFailure } from './outcome';
import { printable } from './report/printable';

const SQLITE = 'sqlite:';

export interface DatabaseOption {
  readonly mayCreate: boolean;
  readonly createDatabase?: boolean;
}

/** @throws CliFailure if the database cannot be used, or is missing and --create-database was not given */
export async function withAccounts<T>(
  work: (accounts: AccountsService, database: string, usage: UsageService) => Promise<T>,
  option: DatabaseOption = { mayCreate: false },
): Promise<T> {
  const settings = settingsWith();
  refuseMissing(settings.accounts.databaseUrl, option);
  // Loading the framework and the database is slow: only for commands that need them.
  const { openAccountStore } = await import('./account-store-context.js');
  const store = await openAccountStore(settings).catch((error: unknown) => {
    throw new CliFailure(`The database cannot be opened: ${messageOf(error)}`);
  });
  try {
    return await work(store.accounts, databaseName(settings.accounts.databaseUrl), store.usage);
  } catch (error) {
    if (!(error instanceof AccountStoreUnavailable)) throw error;
    throw new CliFailure(error.message);
  } finally {
    await store.close();
  }
}

/** A database is created only where DATABASE_URL names it, or with --create-database. */
function refuseMissing(url: string, { mayCreate, createDatabase }: DatabaseOption): void {
  const file = fileOf(url);
  if (file === undefined || existsSync(file)) return;
  const isNamed = process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE'];
  if (mayCreate && (createDatabase || isNamed)) return;
  throw new CliFailure(
    `There is no database at ${printable(file)}. Set DATABASE_URL to the service's database, or run this in its folder` +
      `${mayCreate ? '; --create-database creates a new one here' : ''}.`,
  );
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
export async function accountBy(accounts: AccountsService, idOrEmail: string): Promise<Account> {
  const account = await accounts.find(idOrEmail);
  if (!account) throw new CliFailure(`There is no account ${idOrEmail}.`);
  if (isConfigured(account))
    throw new CliFailure(`${idOrEmail} belongs to the configuration: change API_KEYS_FILE instead.`);
  return account;
}

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

/** Opening the database would create the file. */
function fileOf(url: string): string | undefined {
  const isFile = url.startsWith(SQLITE) && url !== `${SQLITE}:memory:`;
  return isFile ? resolve(url.slice(SQLITE.length)) : undefined;
}
