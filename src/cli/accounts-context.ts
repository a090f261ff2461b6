/** Opens the account store for one command and closes it again. */
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import type { AccountsService } from '../accounts/application/accounts.service';
import type { Account } from '../accounts/domain/account';
import { settingsWith } from './cli-settings';
import { CliFailure } from './exit';

export async function withAccounts<T>(work: (accounts: AccountsService) => Promise<T>): Promise<T> {
  const settings = settingsWith();
  // The framework and the database take their time to load: only for commands that need them.
  const { openAccountStore } = await import('./account-store-context.js');
  const store = await openAccountStore(settings).catch((error: unknown) => {
    throw new CliFailure(
      `The database cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  try {
    return await work(store.accounts);
  } catch (error) {
    if (!(error instanceof AccountStoreUnavailable)) throw error;
    throw new CliFailure(`The database failed: ${error.message}`);
  } finally {
    await store.close();
  }
}

/** The account with this id or e-mail address. @throws CliFailure when there is none. */
export async function accountBy(accounts: AccountsService, idOrEmail: string): Promise<Account> {
  const account = await accounts.find(idOrEmail);
  if (!account) throw new CliFailure(`There is no account ${idOrEmail}.`);
  return account;
}
