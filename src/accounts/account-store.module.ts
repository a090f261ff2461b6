import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from './accounts.settings';
import { AccountRepository } from './application/account-repository.port';
import { AccountsService } from './application/accounts.service';
import { Authenticator, UnknownLookups } from './application/authenticator';
import { UsageReader } from './application/usage-reader';
import { UsageRecorder } from './application/reservations';
import { UsageRepository } from './application/usage-repository.port';
import { databaseOptions, openDatabase, type Schema } from './infrastructure/persistence/database';
import { isOutage } from './infrastructure/persistence/database-tasks';
import { TypeOrmAccountRepository } from './infrastructure/persistence/typeorm-account.repository';
import { TypeOrmUsageRepository } from './infrastructure/persistence/typeorm-usage.repository';

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

/** Accounts, keys and their database; shared by the HTTP service and the command line. */
@Module({
  imports: [databaseModule(({ databaseUrl }) => databaseUrl)],
  providers: [
    AccountsService,
    Authenticator,
    UnknownLookups,
    UsageReader,
    UsageRecorder,
    { provide: AccountRepository, useClass: TypeOrmAccountRepository },
    { provide: UsageRepository, useClass: TypeOrmUsageRepository },
  ],
  exports: [
    AccountRepository,
    AccountsService,
    Authenticator,
    UsageReader,
    UsageRecorder,
    UsageRepository,
    TypeOrmModule,
  ],
})
export class AccountStoreModule {}
