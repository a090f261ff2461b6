import { Controller, Get, Header, Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../settings/settings';
import { DOCS_POLICY, docsPage } from './docs-page';
import { describeService } from './document';

/** The contract for programs and for people; made once, at start. */
@Controller()
export class DocumentationController {
  private readonly document: ReturnType<typeof describeService>;
  private readonly page: string;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.document = describeService(settings);
    this.page = docsPage(this.document);
  }

  @Get('openapi.json')
  description(): object {
    return this.document;
  }

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', DOCS_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  documentation(): string {
    return this.page;
  }
}
