/**
 * Where Tinify's clients put the API key, how they check it, and guards that make a request wait where `POST /api/v1/compress` refuses it:
 * Tinify's clients do not retry.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type ExecutionContext, type CanActivate } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UsageService } from '../../accounts/application/usage.service';
import { ApiKeyGuard } from '../../accounts/http/account.guards';
import { CompressionRunner } from '../../compression/application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../../compression/compression.settings';
import { sharerOf } from '../../compression/http/image-upload.interceptor';
import { UploadBudget } from '../../compression/http/upload-budget';
import { abortedWhenClosed } from '../../compression/http/upload-compression';
import { Problem } from '../../contract/problem';
import { draining } from '../../contract/service-problems';
import { inputMissing, missingBasicKey } from '../../contract/tinify-problems';
import { Lifecycle } from '../../http/requests';
import { hasBody } from '../../http/request-body';
import { AccountRoutesRateLimitGuard, AccountRateLimitGuard } from '../../rate-limit/limit-guards';
import { MAX_WAIT_MS, UploadLine } from '../application/waiting-line';
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
  @Inject(UsageService) private readonly usage!: UsageService;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    if (hasBody(req)) return true;
    await super.canActivate(context);
    await setCompressionCount(this.usage, req, context.switchToHttp().getResponse<Response>());
    throw inputMissing();
  }
}

/** The first check: refuses the request while the process is stopping. */
@Injectable()
export class NotDrainingGuard implements CanActivate {
  constructor(private readonly lifecycle: Lifecycle) {}

  canActivate(): boolean {
    if (this.lifecycle.isDraining) throw draining();
    return true;
  }
}

/** Waits until the account has fewer images in progress, and the service a place and memory for one more. */
@Injectable()
export class TurnGuard implements CanActivate {
  constructor(
    private readonly line: UploadLine,
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
    private readonly budget: UploadBudget,
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const sharer = sharerOf(req);
    // A body that is too large is refused later, with 413.
    const bytes = Math.min(Number(req.headers['content-length'] ?? 0), this.settings.maxUploadBytes);
    const hasRoom = () => {
      if (this.lifecycle.isDraining) throw draining();
      return this.runner.hasPlaceFor(sharer) && this.budget.hasRoomFor(bytes, sharer);
    };
    const closed = abortedWhenClosed(context.switchToHttp().getResponse<Response>());
    await this.line.enter(sharer, closed, hasRoom, req.context.arrivedAt + MAX_WAIT_MS);
    return true;
  }
}

/**
 * Waits for the rate limit of the account, within the same time. A request that it refuses does not count; one that it admits
 * counts, whatever its outcome.
 */
@Injectable()
export class PatientRateLimitGuard extends AccountRateLimitGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { arrivedAt } = context.switchToHttp().getRequest<Request>().context;
    const closed = abortedWhenClosed(context.switchToHttp().getResponse<Response>());
    for (;;) {
      try {
        return await super.canActivate(context);
      } catch (error) {
        const waitMs = waitOf(error) * 1000;
        if (closed.aborted || performance.now() + waitMs > arrivedAt + MAX_WAIT_MS) throw error;
        // Ends early when the client disconnects.
        await pause(waitMs, undefined, { signal: closed }).catch(() => undefined);
      }
    }
  }
}

/** Seconds until the request would be accepted; infinite if it would not. */
function waitOf(error: unknown): number {
  const isLimit = error instanceof Problem && error.code === 'rate_limited';
  return isLimit ? (error.facts.retryAfter ?? Infinity) : Infinity;
}
