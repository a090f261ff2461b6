import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request } from 'express';
import { Problem } from '../operations/problem';
import { SIGNUP_LIMIT } from './rate-limit.module';

/** Slows down whoever opens accounts by the dozen: counted by client address (IPv6 by its /64 network). */
@Injectable()
export class SignupRateLimitGuard extends ThrottlerGuard {
  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.throttlers = this.throttlers.filter(({ name }) => name === SIGNUP_LIMIT);
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
  }: ThrottlerRequest): Promise<boolean> {
    if (limit === 0) return true;
    const client = await this.getTracker(context.switchToHttp().getRequest<Request>());
    const hits = await this.storageService.increment(
      `signup:${client}`,
      ttl,
      limit,
      blockDuration,
      SIGNUP_LIMIT,
    );
    if (hits.isBlocked) {
      throw new Problem(
        'rate_limited',
        `${limit} sign-ups an hour are accepted from one address; come back later.`,
        {
          limit,
          retryAfter: Math.max(1, hits.timeToBlockExpire),
        },
      );
    }
    return true;
  }
}
