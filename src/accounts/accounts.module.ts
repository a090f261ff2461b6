import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { AccountStoreModule } from './account-store.module';
import { AccountsController } from './http/accounts.controller';

/** Accounts over HTTP. */
@Module({
  imports: [AccountStoreModule, RateLimitModule],
  controllers: [AccountsController],
  exports: [AccountStoreModule],
})
export class AccountsModule {}
