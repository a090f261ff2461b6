import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { AccountStoreModule } from './account-store.module';
import { AccountsController } from './http/accounts.controller';
import { TrialsController } from './http/trials.controller';

/** The HTTP routes of accounts. */
@Module({
  imports: [AccountStoreModule, RateLimitModule],
  controllers: [AccountsController, TrialsController],
  exports: [AccountStoreModule],
})
export class AccountsModule {}
