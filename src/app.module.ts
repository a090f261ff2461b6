import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Logger } from 'pino';
import { AccountsModule } from './accounts/accounts.module';
import { CompressionModule } from './compression/compression.module';
import { HealthModule } from './health/health.module';
import { RequestRecords } from './http/requests';
import { ProblemFilter } from './http/problem.filter';
import { MetricsServer } from './observability/metrics';
import { DocumentationController } from './openapi/documentation.controller';
import { ProcessModule } from './process.module';
import type { Settings } from './settings/settings';
import { WebModule } from './web/web.module';

@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ProcessModule.with(settings, logger),
        AccountsModule,
        CompressionModule,
        HealthModule,
        ...(settings.tinify.isOn ? [tinifyModule()] : []),
        ...(settings.web.isOn ? [WebModule] : []),
      ],
      controllers: [DocumentationController],
      providers: [RequestRecords, MetricsServer, { provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}

/** Loaded only by services that want it. */
async function tinifyModule(): Promise<DynamicModule> {
  const { TinifyModule } = await import('./tinify/tinify.module.js');
  return { module: TinifyModule };
}
