import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { SETTINGS, type Settings } from '../settings/settings';
import { Lifecycle } from './lifecycle';
import { LOGGER } from './logging';
import { Metrics } from './observability/metrics';

/** What there is one of in a process, and every capability may ask for: settings, logger, metrics, lifecycle. */
@Global()
@Module({})
export class ProcessModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: ProcessModule,
      providers: [
        Lifecycle,
        Metrics,
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [Lifecycle, Metrics, SETTINGS, LOGGER],
    };
  }
}
