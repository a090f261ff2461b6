import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { inputMissing } from '../../contract/tinify-problems';
import { hasBody } from '../../http/unread-body';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limit-guards';
import { CompressionCount } from './compression-count';

/**
 * Handles a POST without a body, by which clients check a key. It counts as a request to the account, not as an image.
 * Behind a guard that authenticates the caller.
 */
@Injectable()
export class KeyCheckGuard extends AccountRoutesRateLimitGuard {
  @Inject(CompressionCount) private readonly count!: CompressionCount;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    if (hasBody(req)) return true;
    await super.canActivate(context);
    await this.count.setHeader(req, context.switchToHttp().getResponse<Response>());
    throw inputMissing();
  }
}
