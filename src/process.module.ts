import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { ACCOUNTS_SETTINGS } from './accounts/accounts.settings';
import { COMPRESSION_SETTINGS } from './compression/compression.settings';
import { HTTP_SETTINGS } from './http/http.settings';
import { Lifecycle } from './http/lifecycle';
import { LOGGER } from './observability/logging';
import { Metrics } from './observability/metrics';
import { OBSERVABILITY_SETTINGS } from './observability/observability.settings';
import { RATE_LIMIT_SETTINGS } from './rate-limit/rate-limit.settings';
import { TINIFY_SETTINGS } from './tinify/tinify.settings';
import type { Settings } from './settings/settings';

/** The singletons of the process: the settings of each capability, the logger, the metrics and the lifecycle. */
@Global()
@Module({})
export class ProcessModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    const values = [
      { provide: HTTP_SETTINGS, useValue: settings.http },
      { provide: ACCOUNTS_SETTINGS, useValue: settings.accounts },
      { provide: RATE_LIMIT_SETTINGS, useValue: settings.rateLimit },
      { provide: COMPRESSION_SETTINGS, useValue: settings.compression },
      { provide: TINIFY_SETTINGS, useValue: settings.tinify },
      { provide: OBSERVABILITY_SETTINGS, useValue: settings.observability },
      { provide: LOGGER, useValue: logger },
    ];
    return {
      module: ProcessModule,
      providers: [Lifecycle, Metrics, ...values],
      exports: [Lifecycle, Metrics, ...values.map(({ provide }) => provide)],
    };
  }
}
