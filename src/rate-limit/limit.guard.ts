import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { Problem } from '../contract/problem';
import type { RateLimitState } from './rate-limit-headers';

/** Enforces one of the limits of RateLimitModule. A subclass names the limit, its tracker and its problem. */
export abstract class LimitGuard extends ThrottlerGuard {
  /** The name of the limit; also the prefix of its keys in the store. */
  protected abstract readonly limitName: string;

  /** Returns the key under which the request is counted. */
  protected abstract trackerOf(req: Request): Promise<string>;

  /** Returns the problem to send when the limit is exceeded. */
  protected abstract readonly refusal: (limit: number, waitSeconds: number) => Problem;

  /** Called for each counted request, accepted or refused. */
  protected onCounted?(res: Response, state: RateLimitState): void;

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.throttlers = this.throttlers.filter(({ name }) => name === this.limitName);
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
  }: ThrottlerRequest): Promise<boolean> {
    if (limit === 0) return true;
    const key = `${this.limitName}:${await this.trackerOf(context.switchToHttp().getRequest())}`;
    const hits = await this.storageService.increment(key, ttl, limit, blockDuration, this.limitName);
    const resetSeconds = Math.max(1, hits.isBlocked ? hits.timeToBlockExpire : hits.timeToExpire);
    const remaining = hits.isBlocked ? 0 : Math.max(0, limit - hits.totalHits);
    const state = { limit, remaining, resetSeconds, windowSeconds: ttl / 1000 };
    this.onCounted?.(context.switchToHttp().getResponse(), state);
    if (!hits.isBlocked) return true;
    throw this.refusal(limit, resetSeconds);
  }
}

/** Returns the id of the account that ApiKeyGuard authenticated. */
export function accountOf(req: Request): string {
  const accountId = req.context.caller?.accountId;
  if (!accountId) throw new Error('A limit per account needs ApiKeyGuard before it');
  return accountId;
}
