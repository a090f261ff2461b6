/** The page for people at `/`, and its samples. Imported only when WEB is on. */
import { join } from 'node:path';
import { Module, Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AccountsSettings } from '../accounts/accounts.settings';
import { CompressionModule } from '../compression/compression.module';
import { CompressionSettings } from '../compression/compression.settings';
import { LEAST_DIMENSION_PX, QUALITY_TARGETS } from '../compression/domain/compression-policy';
import { RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { PageController } from './page.controller';
import { FORMATS } from '../contract/formats';
import type { PageFacts } from './page-facts';
import { PageFiles, readPageFiles } from './page-files';
import {
  CompressionRunner,
  CompressionUnavailable,
} from '../compression/application/running/compression-runner.port';
import { resultHeaders } from '../compression/http/result-response';
import { noSuchPageFile } from '../contract/service-problems';
import { findAsset, REVALIDATED, sendStaticFile, staticFile, type StaticFile } from '../http/static-file';

interface CompressedSample {
  readonly file: StaticFile;
  readonly headers: Readonly<Record<string, string>>;
}

/** The page's own images, for visitors without one; each is compressed and hashed once, so nobody can make the service work. */
@Controller('assets')
class SamplesController {
  private readonly results = new Map<string, Promise<CompressedSample>>();

  constructor(
    private readonly files: PageFiles,
    private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
  ) {}

  @Get(':name/compressed')
  async compressed(@Param('name') name: string, @Res() res: Response): Promise<void> {
    const file = findAsset(this.files.assets, name);
    if (!isPhoto(file)) throw noSuchPageFile();
    const sample = await (this.results.get(name) ?? this.compress(name, file));
    sendStaticFile(res.set(sample.headers), sample.file, REVALIDATED);
  }

  private compress(name: string, file: StaticFile): Promise<CompressedSample> {
    if (!this.runner.hasPlaceFor({}))
      throw new CompressionUnavailable('overloaded', this.runner.promisePlace({}));
    const { policy, pool, knownFormats } = this.settings;
    const task = { kind: 'compress', image: file.plain.bytes, policy } as const;
    const run = this.runner.run(task, {
      deadlineAt: performance.now() + pool.deadlineMs,
      // Also for those who ask next, so it goes on when the first one leaves.
      signal: new AbortController().signal,
    });
    const sample = run.then((result) => {
      const { mediaType } = knownFormats.of(result.report.format);
      return { file: staticFile(mediaType, Buffer.from(result.bytes), {}), headers: resultHeaders(result) };
    });
    this.results.set(name, sample);
    sample.catch(() => this.results.delete(name));
    return sample;
  }
}

function isPhoto({ type }: StaticFile) {
  return [FORMATS.jpeg, FORMATS.png].some(({ mediaType }) => mediaType === type);
}

/** Where the build puts the page, beside this file. */
const BUILT_PAGE = join(__dirname, 'page');

@Module({
  imports: [CompressionModule],
  controllers: [PageController, SamplesController],
  providers: [
    {
      provide: PageFiles,
      inject: [AccountsSettings, CompressionSettings, RateLimitSettings],
      useFactory: (...settings: Parameters<typeof pageFacts>) =>
        readPageFiles(BUILT_PAGE, pageFacts(...settings)),
    },
  ],
})
export class WebModule {}

function pageFacts(
  { signup, needsKey }: AccountsSettings,
  { maxUploadBytes, policy, negotiatesFormat, knownFormats, acceptedFormats }: CompressionSettings,
  { imagesPerMinute }: RateLimitSettings,
): PageFacts {
  const formats = policy.formats?.join() ?? 'same';
  return {
    signup: signup.mode,
    needsKey,
    maxUploadBytes,
    maxDimensionPx: policy.maxDimensionPx,
    minDimensionPx: LEAST_DIMENSION_PX,
    imagesPerMinute,
    trialImages: needsKey && signup.mode === 'open' ? signup.trialImages : 0,
    formats: acceptedFormats.publicFacts,
    targetScore: policy.targetScore,
    qualities: QUALITY_TARGETS,
    keptMetadata: policy.keepMetadata,
    // The page may not offer the value that the operator has set.
    format: negotiatesFormat ? 'auto' : ['same', ...knownFormats.names].find((name) => name === formats),
  };
}
