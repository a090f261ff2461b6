import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccountsModule } from './accounts/accounts.module';
import { CompressionModule } from './compression/compression.module';
import { OperationsModule } from './operations/operations.module';
import { ProcessModule } from './operations/process.module';
import type { Settings } from './settings/settings';
import { WebModule } from './web/web.module';

/** The whole service. */
@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ProcessModule.with(settings, logger),
        AccountsModule,
        CompressionModule,
        OperationsModule,
        ...(settings.web ? [WebModule] : []),
      ],
    };
  }
}
