import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { CompressionModule } from '../compression/compression.module';
import { HealthController } from './health.controller';
import { DocumentationController } from './openapi/documentation.controller';
import { ProblemFilter } from './problem.filter';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), CompressionModule],
  controllers: [HealthController, DocumentationController],
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
})
export class OperationsModule {}
