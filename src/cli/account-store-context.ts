/**
 * Assembles the account store and its dependencies, for one command. Its changes are log lines on standard error, for a collector: a
 * person at a terminal reads the output of the command instead.
 */
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountStoreModule } from '../accounts/account-store.module';
import { AccountsService } from '../accounts/application/accounts.service';
import { UsageReader } from '../accounts/application/usage-reader';
import { createLogger, NestLogger } from '../observability/logging';
import { ProcessModule } from '../process.module';
import type { Settings } from '../settings/settings';

@Module({})
class AccountsCliModule {
  static with(settings: Settings): DynamicModule {
    const level = process.stderr.isTTY ? 'silent' : settings.observability.logLevel;
    const logger = createLogger(level, undefined, process.stderr);
    return { module: AccountsCliModule, imports: [ProcessModule.with(settings, logger), AccountStoreModule] };
  }
}

export interface OpenAccountStore {
  readonly accounts: AccountsService;
  readonly usage: UsageReader;
  close(): Promise<void>;
}

/** Opens the database of the service, which may be running. */
export async function openAccountStore(settings: Settings): Promise<OpenAccountStore> {
  const app = await NestFactory.createApplicationContext(AccountsCliModule.with(settings), {
    logger: new NestLogger(createLogger('silent')),
    abortOnError: false,
  });
  return { accounts: app.get(AccountsService), usage: app.get(UsageReader), close: () => app.close() };
}
