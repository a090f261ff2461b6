import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { CompressionModule } from '../compression/compression.module';
import { HealthController } from './health.controller';
import { MetricsServer } from './observability/metrics-server';
import { DocumentationController } from './openapi/documentation.controller';
import { ProblemFilter } from './problem.filter';
import { RateLimitModule } from '../rate-limit/rate-limit.module';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), CompressionModule, RateLimitModule],
  controllers: [HealthController, DocumentationController],
  providers: [MetricsServer, { provide: APP_FILTER, useClass: ProblemFilter }],
})
export class OperationsModule {}
