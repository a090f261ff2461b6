import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Logger } from 'pino';
import { AccountsModule } from './accounts/accounts.module';
import { accountsProblem } from './accounts/http/accounts-problem';
import { CompressionModule } from './compression/compression.module';
import { compressionProblem } from './compression/http/compression-problem';
import { HealthModule } from './health/health.module';
import { HttpMetrics } from './http/http-metrics';
import { ProblemFilter, PROBLEM_TRANSLATORS } from './http/problem.filter';
import { MetricsServer } from './observability/metrics-server';
import { OpenApiModule } from './openapi/openapi.module';
import { ProcessModule } from './process.module';
import type { Settings } from './settings/settings';
import { WebModule } from './web/web.module';

/** The root module of the service. */
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
        OpenApiModule,
        ...(settings.tinify.isOn ? [tinifyModule()] : []),
        ...(settings.web.isOn ? [WebModule] : []),
      ],
      providers: [
        HttpMetrics,
        MetricsServer,
        { provide: PROBLEM_TRANSLATORS, useValue: [compressionProblem, accountsProblem] },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}

/** Loaded only by services that want it. */
async function tinifyModule(): Promise<DynamicModule> {
  const { TinifyModule } = await import('./tinify/tinify.module.js');
  return { module: TinifyModule };
}
