import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../settings/settings';
import { PageController, PAGE_FILES } from './page.controller';
import type { PageFacts } from './page-facts';
import { readPageFiles } from './page-files';

/** Where the build puts the page, beside this file. */
const BUILT_PAGE = join(__dirname, 'page');

/** The page for people; only there when WEB is on. */
@Module({
  controllers: [PageController],
  providers: [
    {
      provide: PAGE_FILES,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => readPageFiles(BUILT_PAGE, pageFacts(settings)),
    },
  ],
})
export class WebModule {}

function pageFacts({ signup, maxUploadBytes, policy, rateLimitPerMinute }: Settings): PageFacts {
  return {
    signup: signup.mode,
    maxUploadBytes,
    maxDimensionPx: policy.maxDimensionPx,
    imagesPerMinute: rateLimitPerMinute,
  };
}
