/** Opens the account store for one command and closes it again. */
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountStoreModule } from '../accounts/account-store.module';
import { AccountStoreUnavailable } from '../accounts/application/account-repository.port';
import { AccountsService } from '../accounts/application/accounts.service';
import type { Account } from '../accounts/domain/account';
import { createLogger, NestLogger } from '../operations/logging';
import { ProcessModule } from '../operations/process.module';
import type { Settings } from '../settings/settings';
import { CliFailure } from './exit';

@Module({})
class AccountsCliModule {
  static with(settings: Settings): DynamicModule {
    const logger = createLogger('silent');
    return { module: AccountsCliModule, imports: [ProcessModule.with(settings, logger), AccountStoreModule] };
  }
}

/** Works on the same database as the service, also while that runs. */
export async function withAccounts<T>(
  settings: Settings,
  work: (accounts: AccountsService) => Promise<T>,
): Promise<T> {
  const app = await NestFactory.createApplicationContext(AccountsCliModule.with(settings), {
    logger: new NestLogger(createLogger('silent')),
    abortOnError: false,
  }).catch((error: unknown) => {
    throw new CliFailure(
      `The database cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  try {
    return await work(app.get(AccountsService));
  } catch (error) {
    if (!(error instanceof AccountStoreUnavailable)) throw error;
    throw new CliFailure(`The database failed: ${error.message}`);
  } finally {
    await app.close();
  }
}

/** The account with this id or e-mail address. @throws CliFailure when there is none. */
export async function accountBy(accounts: AccountsService, idOrEmail: string): Promise<Account> {
  const account = await accounts.find(idOrEmail);
  if (!account) throw new CliFailure(`There is no account ${idOrEmail}.`);
  return account;
}
