import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AccountsModule } from '../accounts/accounts.module';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts/accounts.settings';
import { openDatabase } from '../accounts/infrastructure/persistence/database';
import { CompressionModule } from '../compression/compression.module';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { OutputStore } from './application/output-store.port';
import { OutputsService } from './application/outputs.service';
import { SourceFetcher } from './application/source-fetcher.port';
import { DownloadLine, UploadLine } from './application/waiting-line';
import { KeysController, OutputController, ShrinkController } from './http/tinify.controllers';
import { hideSecrets, separateCommandsFromFetches } from './http/tinify-paths';
import { HttpSourceFetcher } from './infrastructure/http-source-fetcher';
import { OUTPUT_TABLES, outputDatabaseUrl } from './infrastructure/persistence/output-database';
import { TypeOrmOutputStore } from './infrastructure/persistence/typeorm-output-store';
import { TINIFY_SETTINGS, type TinifySettings } from './tinify.settings';

/** The share of one account in the store, so that it cannot displace the outputs of all others. */
const ACCOUNT_SHARE = 0.3;
/** An upload, its result, which may be twice as large, and some reserve. */
const LARGEST_OUTPUT = 4;

/** The routes for programs written for api.tinify.com, with their store. Imported only when TINIFY_API is on. */
@Module({
  imports: [AccountsModule, CompressionModule, RateLimitModule],
  controllers: [ShrinkController, OutputController, KeysController],
  providers: [
    {
      provide: OutputStore,
      inject: [ACCOUNTS_SETTINGS, TINIFY_SETTINGS, COMPRESSION_SETTINGS],
      useFactory: async (
        { databaseUrl, databaseConnections: connections }: AccountsSettings,
        { storeBytes }: TinifySettings,
        { maxUploadBytes }: CompressionSettings,
      ) => {
        const url = outputDatabaseUrl(databaseUrl);
        const dataSource = await openDatabase(url, { schema: OUTPUT_TABLES, connections });
        const largest = maxUploadBytes * LARGEST_OUTPUT;
        return new TypeOrmOutputStore(dataSource, {
          totalBytes: Math.max(storeBytes, largest),
          accountBytes: Math.max(storeBytes * ACCOUNT_SHARE, largest),
        });
      },
    },
    {
      provide: SourceFetcher,
      inject: [TINIFY_SETTINGS],
      useFactory: ({ sources }: TinifySettings) => new HttpSourceFetcher(sources),
    },
    OutputsService,
    DownloadLine,
    UploadLine,
  ],
})
export class TinifyModule {
  /** Middleware of Nest would be listed as routes, and 405 would allow every method. */
  constructor({ httpAdapter }: HttpAdapterHost) {
    httpAdapter.use(hideSecrets);
    httpAdapter.use('/output', separateCommandsFromFetches);
  }
}
