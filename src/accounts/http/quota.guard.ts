import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { quotaExceeded, trialUsedUp } from '../../contract/account-problems';
import { callerOf } from '../../http/request-context';
import { setLimitHeaders } from '../../rate-limit/limit-headers';
import { Reservations, type Reservation } from '../application/reservations';

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
