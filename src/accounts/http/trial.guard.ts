import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { trialUsedUp } from '../../contract/account-problems';
import { callerOf } from '../../http/request-context';
import { TrialsService } from '../application/trials.service';

/**
 * Takes an image off a trial before reading its body, and returns it if no image is delivered and no worker has taken it: a trial pays
 * for the work of workers. Other accounts pass. Use it after ApiKeyGuard.
 */
@Injectable()
export class TrialGuard implements CanActivate {
  private readonly logger = new Logger(TrialGuard.name);

  constructor(private readonly trials: TrialsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const { isTrial, accountId } = callerOf(req);
    if (!isTrial) return true;
    if (!(await this.trials.claimImage(accountId))) throw trialUsedUp();
    const res = context.switchToHttp().getResponse<Response>();
    const settle = () => {
      const isDelivered = res.headersSent && res.statusCode < 300;
      if (!isDelivered && !req.context.hasUsedWorker) this.giveBack(accountId);
    };
    // The client may have disconnected meanwhile; its `close` event will not fire again.
    if (res.destroyed) settle();
    else res.once('close', settle);
    return true;
  }

  private giveBack(accountId: string): void {
    this.trials.returnImage(accountId).catch((error: unknown) => {
      this.logger.warn(`An image was not given back to the trial ${accountId}: ${String(error)}`);
    });
  }
}
