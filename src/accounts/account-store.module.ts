import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from './accounts.settings';
import { AccountRepository } from './application/account-repository.port';
import { AccountsService } from './application/accounts.service';
import { Authenticator } from './application/authenticator';
import { TrialsService } from './application/trials.service';
import { UsageRecorder } from './application/usage-recorder';
import { databaseOptions, openDatabase } from './infrastructure/persistence/database';
import { TypeOrmAccountRepository } from './infrastructure/persistence/typeorm-account.repository';

/** PostgreSQL may start at the same time as the service. SQLite needs no retries. */
const RETRY_DELAY_MS = 2_000;
const POSTGRES_ATTEMPTS = 5;
/** Errors that pass by themselves, unlike a wrong password or a missing database. */
const STILL_STARTING = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|57P03|timeout/i;

/** Accounts, keys and their database; shared by the HTTP service and the command line. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ACCOUNTS_SETTINGS],
      useFactory: ({ databaseUrl }: AccountsSettings) => ({
        ...databaseOptions(databaseUrl),
        retryAttempts: databaseUrl.startsWith('sqlite:') ? 0 : POSTGRES_ATTEMPTS,
        retryDelay: RETRY_DELAY_MS,
        toRetry: (error: Error & { code?: string }) =>
          STILL_STARTING.test(`${error.code ?? ''} ${error.message}`),
      }),
      dataSourceFactory: (options) => openDatabase(options),
    }),
  ],
  providers: [
    AccountsService,
    Authenticator,
    TrialsService,
    UsageRecorder,
    { provide: AccountRepository, useClass: TypeOrmAccountRepository },
  ],
  exports: [AccountsService, Authenticator, TrialsService, UsageRecorder, TypeOrmModule],
})
export class AccountStoreModule {}
