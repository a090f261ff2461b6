/** The guards of requests with a key: whose account it is, and how many images it may make. */
import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import {
  accountSuspended,
  conflictingCredentials,
  malformedApiKey,
  malformedAuthorization,
  missingApiKey,
  tooManyUnknownKeys,
  trialExpired,
  unknownApiKey,
  quotaExceeded,
  trialUsedUp,
} from '../../contract/account-problems';
import { callerOf } from '../../http/requests';
import { setLimitHeaders } from '../../rate-limit/limit-guards';
import { Authenticator, type Caller } from '../application/authenticator';
import { Reservations, type Reservation } from '../application/reservations';

/** Accepts requests with an active key of an active account. Runs before the body is read. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const verdict = await this.authenticator.verify(this.keyOf(req), normalizeIp(req.ip ?? ''));
    switch (verdict.kind) {
      case 'accepted':
        req.context.caller = verdict.caller;
        return true;
      case 'suspended':
        req.context.caller = verdict.caller;
        throw accountSuspended();
      case 'trial_expired':
        req.context.caller = verdict.caller;
        throw trialExpired();
      case 'malformed':
        throw malformedApiKey();
      case 'not_looked_up':
        throw tooManyUnknownKeys(verdict.waitSeconds);
      case 'unknown':
      case 'revoked':
        throw unknownApiKey();
    }
  }

  /** @throws Problem when the request has no key, or several */
  protected keyOf(req: Request): string {
    return presentedKey(req);
  }
}

/** Injects the authenticated Caller into a handler behind ApiKeyGuard. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);

/**
 * Returns the key from `Authorization: Bearer` (RFC 6750; the scheme is case-insensitive) or `X-API-Key`.
 * @throws Problem when there is no key, or when the headers contain different keys
 */
function presentedKey({ headersDistinct }: Request): string {
  const bearers = (headersDistinct['authorization'] ?? []).map(
    (value) => /^bearer +(\S+) *$/i.exec(value)?.[1],
  );
  if (bearers.includes(undefined)) {
    throw malformedAuthorization();
  }
  const apiKeys = (headersDistinct['x-api-key'] ?? []).map((value) => value.trim());
  const keys = new Set([...bearers, ...apiKeys].filter(Boolean));
  if (keys.size > 1) {
    throw conflictingCredentials();
  }
  const [presented] = keys;
  if (!presented) {
    throw missingApiKey();
  }
  return presented;
}

type ReservingRequest = Request & { reservation?: Reservation };

/**
 * Reserves the images of a request before its body is read, and gives back those that were not made when the response closes. Use
 * it after ApiKeyGuard.
 */
@Injectable()
export class QuotaGuard implements CanActivate {
  constructor(private readonly reservations: Reservations) {}

  /** Returns how many images a request may make; one, unless a subclass says otherwise. */
  protected imagesOf?(req: Request): number;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<ReservingRequest>();
    const res = context.switchToHttp().getResponse<Response>();
    const images = this.imagesOf?.(req) ?? 1;
    const verdict = await this.reservations.reserve(callerOf(req), images);
    if (verdict.kind === 'trial_used_up') throw trialUsedUp(images);
    if (verdict.quota) setLimitHeaders(res, 'month', verdict.quota);
    if (verdict.kind === 'quota_exceeded') {
      const { limit, resetSeconds, renewsAt } = verdict.quota;
      throw quotaExceeded(limit, resetSeconds, renewsAt);
    }
    const { reservation } = verdict;
    req.reservation = reservation;
    const close = () => reservation.close(req.context.hasUsedWorker === true);
    // The client may have disconnected meanwhile; its `close` event will not fire again.
    if (res.destroyed) close();
    else res.once('close', close);
    return true;
  }
}

/** Returns the reservation of a request behind a QuotaGuard. */
export function reservationOf(req: Request): Reservation {
  const { reservation } = req as ReservingRequest;
  if (!reservation) throw new Error('This route needs a QuotaGuard');
  return reservation;
}
