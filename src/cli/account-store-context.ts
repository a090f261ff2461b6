/**
 * Assembles the account store for one command. Its changes are log lines on standard error, except on a terminal: readable ones, or JSON
 * for a command with `--json`.
 */
import { Logger } from '@nestjs/common';
import { AccountsService } from '../accounts/application/accounts.service';
import { UnknownLookups } from '../accounts/application/authenticator';
import { UsageService } from '../accounts/application/usage.service';
import { openDatabase } from '../accounts/infrastructure/persistence/database';
import { TypeOrmAccountRepository } from '../accounts/infrastructure/persistence/typeorm-account.repository';
import { createLogger } from '../observability/logging';
import type { Settings } from '../settings/settings';

export async function openAccountStore({ accounts, observability }: Settings, isForPeople: boolean) {
  const logger = createLogger(
    process.stderr.isTTY ? 'silent' : observability.logLevel,
    undefined,
    process.stderr,
    isForPeople,
  );
  Logger.overrideLogger(false);
  const database = await openDatabase(accounts.databaseUrl);
  const repository = new TypeOrmAccountRepository(database);
  return {
    accounts: new AccountsService(repository, new UnknownLookups(), logger),
    usage: new UsageService(repository),
    close: () => database.destroy(),
  };
}
