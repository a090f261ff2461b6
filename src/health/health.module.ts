import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AccountStoreModule } from '../accounts/account-store.module';
import { CompressionModule } from '../compression/compression.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { HealthController } from './health.controller';

@Module({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    AccountStoreModule,
    CompressionModule,
    RateLimitModule,
  ],
  controllers: [HealthController],
})
export class HealthModule {}
