import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { AccountStoreModule } from './account-store.module';
import { Reservations } from './application/reservations';
import { Retention } from './application/retention';
import { AccountsController } from './http/accounts.controller';
import { UsageController } from './http/usage.controller';

/** The HTTP routes of accounts. Also counts images and deletes old data, which only the service does. */
@Module({
  imports: [AccountStoreModule, RateLimitModule],
  controllers: [AccountsController, UsageController],
  providers: [Reservations, Retention],
  exports: [AccountStoreModule, Reservations],
})
export class AccountsModule {}
