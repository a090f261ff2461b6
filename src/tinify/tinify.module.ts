/** Tinify's API as a module of its own. Without TINIFY_API it is not even loaded. */
import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { DATABASE_TASKS, type TaskRunner } from '../accounts/infrastructure/persistence/database-tasks';
import { CompressionModule } from '../compression/compression.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { OutputsService, OutputStore } from './application/outputs.service';
import { KeysController, OutputController, ShrinkController } from './http/tinify.controllers';
import { TinifyErrorFilter } from './http/tinify.guards';
import { hideSecrets, separateCommandsFromFetches } from './http/tinify.requests';
import { TypeOrmOutputStore } from './infrastructure/persistence/typeorm-output-store';

/** The routes for programs written for api.tinify.com, with their store. Imported only when TINIFY_API is on. */
@Module({
  imports: [AccountsModule, CompressionModule, RateLimitModule],
  controllers: [ShrinkController, OutputController, KeysController],
  providers: [
    {
      provide: OutputStore,
      inject: [DataSource, DATABASE_TASKS],
      useFactory: (dataSource: DataSource, run: TaskRunner) => new TypeOrmOutputStore(dataSource, run),
    },
    OutputsService,
    TinifyErrorFilter,
  ],
})
export class TinifyModule {
  /** Middleware of Nest would be listed as routes, and 405 would allow every method. */
  constructor({ httpAdapter }: HttpAdapterHost) {
    httpAdapter.use(hideSecrets);
    httpAdapter.use('/output', separateCommandsFromFetches);
  }
}
