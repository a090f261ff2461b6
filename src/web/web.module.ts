import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts/accounts.settings';
import { CompressionModule } from '../compression/compression.module';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression/compression.settings';
import { LEAST_DIMENSION_PX, QUALITY_TARGETS } from '../compression/domain/compression-policy';
import { RATE_LIMIT_SETTINGS, type RateLimitSettings } from '../rate-limit/rate-limit.settings';
import { PageController, PAGE_FILES } from './page.controller';
import { RESULT_FORMATS, type BuiltInFormat } from '../contract/formats';
import type { PageFacts } from './page-facts';
import { readPageFiles } from './page-files';
import { SamplesController } from './samples.controller';

/** Where the build puts the page, beside this file. */
const BUILT_PAGE = join(__dirname, 'page');

@Module({
  imports: [CompressionModule],
  controllers: [PageController, SamplesController],
  providers: [
    {
      provide: PAGE_FILES,
      inject: [ACCOUNTS_SETTINGS, COMPRESSION_SETTINGS, RATE_LIMIT_SETTINGS],
      useFactory: (...settings: Parameters<typeof pageFacts>) =>
        readPageFiles(BUILT_PAGE, pageFacts(...settings)),
    },
  ],
})
export class WebModule {}

function pageFacts(
  { signup, needsKey }: AccountsSettings,
  { maxUploadBytes, policy, negotiatesFormat, resultFormats }: CompressionSettings,
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
    returnsJpegXl: resultFormats.ofMediaTypes(['image/jxl']).length > 0,
    targetScore: policy.targetScore,
    qualities: QUALITY_TARGETS,
    keptMetadata: policy.keepMetadata,
    // The page may not offer the value that the operator has set.
    format: negotiatesFormat ? 'auto' : OFFERED.find((name) => name === formats),
  };
}

const OFFERED = ['same', ...(Object.keys(RESULT_FORMATS) as BuiltInFormat[])] as const;
