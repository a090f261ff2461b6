import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { tooManySignups } from '../contract/account-problems';
import { LimitGuard } from './limit.guard';
import { SIGNUP_LIMIT } from './rate-limit.module';

/** Limits sign-ups and trials together, per client IP address; IPv6 addresses count by their /64 network. */
@Injectable()
export class SignupRateLimitGuard extends LimitGuard {
  protected readonly limitName = SIGNUP_LIMIT;

  protected trackerOf(req: Request): Promise<string> {
    return this.getTracker(req);
  }

  protected readonly refusal = tooManySignups;
}
