import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { Lifecycle } from './http/requests';
import { LOGGER } from './observability/logging';
import { Metrics } from './observability/metrics';
import { SLICES, type Settings } from './settings/settings';

/** The singletons of the process: the settings of each capability, the logger, the metrics and the lifecycle. */
@Global()
@Module({})
export class ProcessModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    const names = Object.keys(SLICES) as (keyof typeof SLICES)[];
    const values = names.flatMap((name) => {
      const { token } = SLICES[name];
      return token ? [{ provide: token, useValue: settings[name] }] : [];
    });
    return {
      module: ProcessModule,
      providers: [Lifecycle, Metrics, { provide: LOGGER, useValue: logger }, ...values],
      exports: [Lifecycle, Metrics, LOGGER, ...values.map(({ provide }) => provide)],
    };
  }
}
