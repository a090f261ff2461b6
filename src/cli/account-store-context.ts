/**
 * Assembles the account store and its dependencies, for one command. Its changes are log lines on standard error, for a collector: a
 * person at a terminal reads the output of the command instead.
 */
import { NestFactory } from '@nestjs/core';
import { AccountStoreModule } from '../accounts/accounts.module';
import { AccountsService } from '../accounts/application/accounts.service';
import { UsageService } from '../accounts/application/usage.service';
import { createLogger, NestLogger } from '../observability/logging';
import { ProcessModule } from '../process.module';
import type { Settings } from '../settings/settings';

/** Opens the database of the service, which may be running. */
export async function openAccountStore(settings: Settings) {
  const level = process.stderr.isTTY ? 'silent' : settings.observability.logLevel;
  const logger = createLogger(level, undefined, process.stderr);
  const app = await NestFactory.createApplicationContext(
    { module: AccountStoreModule, imports: [ProcessModule.with(settings, logger)] },
    { logger: new NestLogger(createLogger('silent')), abortOnError: false },
  );
  return { accounts: app.get(AccountsService), usage: app.get(UsageService), close: () => app.close() };
}
