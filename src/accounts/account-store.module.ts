import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../settings/settings';
import { AccountRepository } from './application/account-repository.port';
import { AccountsService } from './application/accounts.service';
import { Authenticator } from './application/authenticator';
import { UsageRecorder } from './application/usage-recorder';
import { databaseOptions, openDatabase } from './infrastructure/persistence/database';
import { TypeOrmAccountRepository } from './infrastructure/persistence/typeorm-account.repository';

/** PostgreSQL may still be starting when we are: five tries, two seconds apart. A SQLite file is there or not. */
const RETRY_DELAY_MS = 2_000;
const POSTGRES_ATTEMPTS = 5;
/** What passes by itself; a wrong password or a missing database does not. */
const STILL_STARTING = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|57P03|timeout/i;

/** Accounts, keys and the database behind them; shared by the service and the command line. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: ({ databaseUrl }: Settings) => ({
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
    UsageRecorder,
    { provide: AccountRepository, useClass: TypeOrmAccountRepository },
  ],
  exports: [AccountsService, Authenticator, UsageRecorder, TypeOrmModule],
})
export class AccountStoreModule {}
