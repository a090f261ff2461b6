/** Opens the account store for one command and closes it again. */
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import type { AccountsService } from '../accounts/application/accounts.service';
import type { Account } from '../accounts/domain/account';
import { settingsWith } from './cli-settings';
import { databaseName, isDatabaseNamed, missingFile } from './database-name';
import { CliFailure } from './exit';
import { printable } from './terminal/printable';

/** What a command may do about a database that is not there. */
export interface DatabaseOption {
  /** Whether it can make one at all. */
  readonly mayCreate: boolean;
  /** --create-database */
  readonly createDatabase?: boolean;
}

/**
 * @param work gets the name of the database too, for people
 * @throws CliFailure when the database cannot be used, or is not there and nobody has asked for a new one
 */
export async function withAccounts<T>(
  work: (accounts: AccountsService, database: string) => Promise<T>,
  option: DatabaseOption = { mayCreate: false },
): Promise<T> {
  const settings = settingsWith();
  refuseMissing(settings.accounts.databaseUrl, option);
  // The framework and the database take their time to load: only for commands that need them.
  const { openAccountStore } = await import('./account-store-context.js');
  const store = await openAccountStore(settings).catch((error: unknown) => {
    throw new CliFailure(
      `The database cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  try {
    return await work(store.accounts, databaseName(settings.accounts.databaseUrl));
  } catch (error) {
    if (!(error instanceof AccountStoreUnavailable)) throw error;
    throw new CliFailure(`The database failed: ${error.message}`);
  } finally {
    await store.close();
  }
}

/** A folder for data appears only where DATABASE_URL names it, or when it is asked for. */
function refuseMissing(url: string, { mayCreate, createDatabase }: DatabaseOption): void {
  const file = missingFile(url);
  if (file === undefined || (mayCreate && (createDatabase || isDatabaseNamed()))) return;
  throw new CliFailure(
    `There is no database at ${printable(file)}. Set DATABASE_URL to the service's database, or run this in its folder` +
      `${mayCreate ? '; --create-database makes a new one here' : ''}.`,
  );
}

/** The account with this id or e-mail address. @throws CliFailure when there is none. */
export async function accountBy(accounts: AccountsService, idOrEmail: string): Promise<Account> {
  const account = await accounts.find(idOrEmail);
  if (!account) throw new CliFailure(`There is no account ${idOrEmail}.`);
  return account;
}
