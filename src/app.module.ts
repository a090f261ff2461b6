/**
 * The root module: which capabilities the service has. Nothing else knows all of them; Tinify's API and the
 * page are there only if their settings are on.
 */
import { Module, type DynamicModule, Global } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Logger } from 'pino';
import { AccountsModule } from './accounts/accounts.module';
import { CompressionModule } from './compression/compression.module';
import { HealthModule } from './health/health.module';
import { RequestRecords, Lifecycle } from './http/requests';
import { ProblemFilter } from './http/problem.filter';
import { HiddenKeys } from './observability/hidden-keys';
import { MetricsServer, Metrics } from './observability/metrics';
import { DocumentationController } from './openapi/documentation.controller';
import { type Settings, SLICES } from './settings/settings';
import { WebModule } from './web/web.module';
import { LOGGER } from './observability/logging';

/** The singletons of the process: the settings of each capability, the logger, the metrics and the lifecycle. */
@Global()
@Module({})
class ProcessModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    const names = Object.keys(SLICES) as (keyof typeof SLICES)[];
    const values = names.map((name) => ({ provide: SLICES[name], useValue: settings[name] }));
    return {
      module: ProcessModule,
      providers: [Lifecycle, Metrics, HiddenKeys, { provide: LOGGER, useValue: logger }, ...values],
      exports: [Lifecycle, Metrics, HiddenKeys, LOGGER, ...values.map(({ provide }) => provide)],
    };
  }
}

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
