/** Where Tinify's clients put the API key, how they check it, and how they read errors. */
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageService } from '../../accounts/application/usage.service';
import { ApiKeyGuard } from '../../accounts/http/account.guards';
import type { Problem } from '../../contract/problem';
import { inputMissing, missingBasicKey, tinifyError } from '../../contract/tinify-problems';
import { ProblemFilter } from '../../http/problem.filter';
import { hasBody } from '../../http/request-body';
import { exchangeOf, requireCaller } from '../../http/requests';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limits';

/** The password of HTTP Basic authentication (RFC 7617); the user name is ignored. */
@Injectable()
export class BasicKeyGuard extends ApiKeyGuard {
  protected override readKey({ headers }: Request): string {
    const token = /^basic +([\w+/]+=*) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const pair = Buffer.from(token, 'base64').toString();
    const key = pair.slice(pair.indexOf(':') + 1);
    if (!pair.includes(':') || !key) throw missingBasicKey();
    return key;
  }
}

/** The key is the last part of the path; hideSecrets keeps it out of the log. */
@Injectable()
export class PathKeyGuard extends ApiKeyGuard {
  protected override readKey({ params }: Request): string {
    return String(params['key']);
  }
}

/** A POST without a body, by which clients check a key. It counts as a request to the account, not as an image. */
@Injectable()
export class KeyCheckGuard extends AccountRoutesRateLimitGuard {
  @Inject(UsageService) private readonly usage!: UsageService;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = exchangeOf(context);
    if (hasBody(req)) return true;
    await super.canActivate(context);
    await setCompressionCount(this.usage, res);
    throw inputMissing();
  }
}

/** Tells the client how many images its account has compressed this month. @param more that are counted next */
export async function setCompressionCount(usage: UsageService, res: Response, more = 0): Promise<void> {
  const images = await usage.imagesThisMonth(requireCaller(res.req).accountId);
  res.setHeader('Compression-Count', String(images + more));
}

/** Sends problems as `{"error", "message"}`. */
@Injectable()
export class TinifyErrorFilter extends ProblemFilter {
  protected override send(problem: Problem, res: Response) {
    const { status, body } = tinifyError(problem);
    if (status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="api"');
    res.status(status).json(body);
  }
}
