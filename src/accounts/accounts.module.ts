import { Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from './accounts.settings';
import { AccountRepository } from './application/account-repository.port';
import { AccountsService } from './application/accounts.service';
import { Authenticator, UnknownLookups } from './application/authenticator';
import { UsageService } from './application/usage.service';
import { AccountsController } from './http/accounts.controller';
import { databaseOptions, openDatabase, type Schema } from './infrastructure/persistence/database';
import { isOutage } from './infrastructure/persistence/database-tasks';
import { TypeOrmAccountRepository } from './infrastructure/persistence/typeorm-account.repository';

/** PostgreSQL may start at the same time as the service. SQLite needs no retries. */
const RETRY_DELAY_MS = 2_000;
const POSTGRES_ATTEMPTS = 5;

/**
 * Returns the module that opens and migrates a database: the accounts database unless another schema is given.
 * @param urlOf derives the URL from the settings of the accounts
 */
export function databaseModule(
  urlOf: (settings: AccountsSettings) => string,
  { name, schema }: { readonly name?: string; readonly schema?: Schema } = {},
): DynamicModule {
  const named = name === undefined ? {} : { name };
  return TypeOrmModule.forRootAsync({
    ...named,
    inject: [ACCOUNTS_SETTINGS],
    useFactory: (settings: AccountsSettings) => {
      const url = urlOf(settings);
      return {
        ...databaseOptions(url, schema, settings.databaseConnections),
        // Nest closes the database under this name, and opens it under the name above.
        ...named,
        retryAttempts: url.startsWith('sqlite:') ? 0 : POSTGRES_ATTEMPTS,
        retryDelay: RETRY_DELAY_MS,
        toRetry: isOutage,
      };
    },
    dataSourceFactory: (options) => openDatabase(options),
  });
}

/** Accounts, keys, usage and their database, for the service and the command line. */
@Module({
  imports: [databaseModule(({ databaseUrl }) => databaseUrl)],
  providers: [
    AccountsService,
    Authenticator,
    UnknownLookups,
    UsageService,
    { provide: AccountRepository, useClass: TypeOrmAccountRepository },
  ],
  exports: [AccountRepository, AccountsService, Authenticator, UsageService, TypeOrmModule],
})
export class AccountStoreModule {}

/** The HTTP routes of accounts. */
@Module({
  imports: [AccountStoreModule, RateLimitModule],
  controllers: [AccountsController],
  exports: [AccountStoreModule],
})
export class AccountsModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  /** Earlier releases had quotas. Their columns stay for one release, in which replicas of both may run. */
  async onModuleInit(): Promise<void> {
    const quotas = 'SELECT COUNT(*) AS count FROM accounts WHERE quota_images > 0';
    const [{ count }]: { count: number | string }[] = await this.dataSource.query(quotas);
    if (Number(count) === 0) return;
    new Logger(AccountsModule.name).warn(`Quotas were removed; accounts that had one: ${count}.`);
  }
}
