/** Where Tinify's clients put the API key. */
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiKeyGuard } from '../../accounts/http/api-key.guard';
import { missingBasicKey } from '../../contract/tinify-problems';

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
