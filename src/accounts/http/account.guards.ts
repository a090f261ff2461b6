/**
 * The guards of requests with a key: whose account it is, and whether its trial has an image left. Both run
 * before the body is read, so a refused client does not send 20 MB for nothing. Other entry points, such as
 * Tinify's, override `readKey`.
 */
import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';
import * as problem from '../../contract/account-problems';
import { networkOf } from '../../http/network';
import { exchangeOf, requireCaller } from '../../http/requests';
import { Authenticator, type KeyVerdict } from '../application/authenticator';
import { ConfiguredAccounts } from '../application/configured-accounts';
import { UsageService } from '../application/usage.service';

/** Accepts requests with an active key of an active account. Runs before the body is read. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly configured: ConfiguredAccounts,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req } = exchangeOf(context);
    const anonymous = this.configured.anonymousAt(normalizeIp(req.ip ?? ''));
    const { caller, refusal }: KeyVerdict = anonymous
      ? { caller: anonymous }
      : await this.authenticator.verify(this.readKey(req), networkOf(req.ip));
    // Also of a refused request, for its log line.
    if (caller) req.context.caller = caller;
    if (refusal) throw refusal;
    return true;
  }

  /**
   * Returns the key from `Authorization: Bearer` (RFC 6750; the scheme is case-insensitive) or `X-API-Key`.
   * @throws Problem when there is none, or when there are two different ones
   */
  protected readKey({ headersDistinct }: Request): string {
    const bearers = (headersDistinct['authorization'] ?? []).map(
      (value) => /^bearer +(\S+) *$/i.exec(value)?.[1],
    );
    if (bearers.includes(undefined)) {
      throw problem.malformedAuthorization();
    }
    const apiKeys = (headersDistinct['x-api-key'] ?? []).map((value) => value.trim());
    const keys = new Set([...bearers, ...apiKeys].filter(Boolean));
    if (keys.size > 1) {
      throw problem.conflictingCredentials();
    }
    const [presented] = keys;
    if (!presented) {
      throw problem.missingApiKey(this.configured.offersSignup);
    }
    return presented;
  }
}

/** Injects the caller into a handler behind ApiKeyGuard. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  requireCaller(exchangeOf(context).req),
);

/** Takes an image off a trial before the body is read; gives it back unless a worker has taken the image. */
@Injectable()
export class TrialGuard implements CanActivate {
  constructor(private readonly usage: UsageService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { req, res } = exchangeOf(context);
    const caller = requireCaller(req);
    if (!caller.isTrial) return true;
    if (!(await this.usage.takeTrialImage(caller.accountId))) throw problem.trialUsedUp();
    const close = () => {
      if (!req.context.hasUsedWorker) this.usage.returnTrialImage(caller);
    };
    // The client may have disconnected meanwhile; its `close` event will not fire again.
    if (res.destroyed) close();
    else res.once('close', close);
    return true;
  }
}
