/** Where Tinify's clients put the API key, and how they check it. */
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageReader } from '../../accounts/application/usage-reader';
import { ApiKeyGuard } from '../../accounts/http/api-key.guard';
import { inputMissing, missingBasicKey } from '../../contract/tinify-problems';
import { hasBody } from '../../http/unread-body';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limit-guards';
import { setCompressionCount } from './tinify-responses';

/** The password of HTTP Basic authentication (RFC 7617); the user name is ignored. */
@Injectable()
export class BasicKeyGuard extends ApiKeyGuard {
  protected override keyOf({ headers }: Request): string {
    const token = /^basic +([\w+/]+=*) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const pair = Buffer.from(token, 'base64').toString();
    const key = pair.slice(pair.indexOf(':') + 1);
    if (!pair.includes(':') || !key) throw missingBasicKey();
    return key;
  }
}

/** The last part of the path of `GET /keys/KEY`. */
@Injectable()
export class PathKeyGuard extends ApiKeyGuard {
  protected override keyOf({ params }: Request): string {
    return String(params['key']);
  }
}

/**
 * Handles a POST without a body, by which clients check a key. It counts as a request to the account, not as an image.
 * Behind a guard that authenticates the caller.
 */
@Injectable()
export class KeyCheckGuard extends AccountRoutesRateLimitGuard {
  @Inject(UsageReader) private readonly usage!: UsageReader;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    if (hasBody(req)) return true;
    await super.canActivate(context);
    await setCompressionCount(this.usage, req, context.switchToHttp().getResponse<Response>());
    throw inputMissing();
  }
}
