import { UPLOAD_MEDIA_TYPES } from '../contract/formats';
import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunResult,
} from '../compression/application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { CompressionHeadersInterceptor } from '../compression/http/result-response';
import { noSuchPageFile } from '../contract/service-problems';
import { findAsset, type StaticFile } from '../http/static-file';
import { PAGE_FILES } from './page.controller';
import type { PageFiles } from './page-files';

/** The page's own images, for visitors without one; each is compressed once, so nobody can make the service work. */
@Controller('assets')
export class SamplesController {
  private readonly results = new Map<string, Promise<RunResult>>();

  constructor(
    @Inject(PAGE_FILES) private readonly files: PageFiles,
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
  ) {}

  @Get(':name/compressed')
  @UseInterceptors(CompressionHeadersInterceptor)
  compressed(@Param('name') name: string): Promise<RunResult> {
    const file = findAsset(this.files.assets, name);
    if (!isPhoto(file)) throw noSuchPageFile();
    return this.results.get(name) ?? this.compress(name, file);
  }

  private compress(name: string, file: StaticFile): Promise<RunResult> {
    if (this.runner.state().isFull) throw new CompressionUnavailable('overloaded');
    const { policy, pool } = this.settings;
    const result = this.runner.run(file.plain.bytes, {
      policy,
      deadlineAt: performance.now() + pool.deadlineMs,
      // Also for those who ask next, so it goes on when the first one leaves.
      signal: new AbortController().signal,
    });
    this.results.set(name, result);
    result.catch(() => this.results.delete(name));
    return result;
  }
}

function isPhoto({ type }: StaticFile): boolean {
  return UPLOAD_MEDIA_TYPES.includes(type);
}
