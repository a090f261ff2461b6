/**
 * Accounts, keys, usage and their HTTP routes. All of it runs in the service process, and no worker sees the
 * database. The database tasks are exported too, because Tinify's outputs are tables of the same database.
 */
import { Logger, Module, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { AccountsSettings } from './accounts.settings';
import { AccountRepository } from './application/account-repository.port';
import { AccountsService } from './application/accounts.service';
import { Authenticator, UnknownLookups } from './application/authenticator';
import { ConfiguredAccounts } from './application/configured-accounts';
import { UsageService } from './application/usage.service';
import { AccountsController } from './http/accounts.controller';
import { openDatabase } from './infrastructure/persistence/database';
import { DATABASE_TASKS, createTaskRunner } from './infrastructure/persistence/database-tasks';
import { TypeOrmAccountRepository } from './infrastructure/persistence/typeorm-account.repository';

@Module({
  imports: [RateLimitModule],
  controllers: [AccountsController],
  providers: [
    AccountsService,
    Authenticator,
    ConfiguredAccounts,
    { provide: UnknownLookups, useFactory: () => new UnknownLookups() },
    UsageService,
    { provide: AccountRepository, useClass: TypeOrmAccountRepository },
    {
      provide: DataSource,
      inject: [AccountsSettings],
      useFactory: ({ databaseUrl, databaseConnections: connections }: AccountsSettings) =>
        openDatabase(databaseUrl, connections),
    },
    { provide: DATABASE_TASKS, inject: [DataSource], useFactory: createTaskRunner },
  ],
  exports: [
    AccountRepository,
    AccountsService,
    Authenticator,
    ConfiguredAccounts,
    UsageService,
    DataSource,
    DATABASE_TASKS,
  ],
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
