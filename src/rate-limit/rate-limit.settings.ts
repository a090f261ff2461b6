/**
 * The settings of the rate limits. 0 switches a limit off. Without Redis each replica counts on its own, so n
 * replicas allow n times as much.
 */
import { z } from 'zod';
import { integer, settingsSlice } from '../environment/settings-slice';

const limit = integer(0, 1_000_000);

export class RateLimitSettings extends settingsSlice({
  variables: {
    REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\/.+$/, 'must be redis://user:password@host or rediss://…')
      .optional()
      .describe('Redis that replicas share for rate limits; without it each process counts on its own'),
    RATE_LIMIT_PER_MINUTE: limit
      .prefault('20')
      .describe('images per account in a sliding minute, refused ones included; 0 = off'),
    ACCOUNT_REQUESTS_PER_MINUTE: limit
      .prefault('60')
      .describe('account and key requests per account in a sliding minute; 0 = off'),
    SIGNUP_LIMIT_PER_HOUR: limit
      .prefault('100')
      .describe('sign-ups per network of clients (/24, IPv6 /64) in a sliding hour; 0 = off'),
  },
  read: (e) => ({
    redisUrl: e.REDIS_URL,
    imagesPerMinute: e.RATE_LIMIT_PER_MINUTE,
    accountRequestsPerMinute: e.ACCOUNT_REQUESTS_PER_MINUTE,
    signupsPerHour: e.SIGNUP_LIMIT_PER_HOUR,
  }),
}) {}
