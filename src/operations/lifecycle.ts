/** Knows whether this process is stopping, and what it still has to finish. */
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

@Injectable()
export class Lifecycle {
  private draining = false;
  private inFlight = 0;
  private onEmpty: (() => void) | undefined;

  /** From now on new images are refused with 503 `draining`, and readiness fails. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** Counts requests from arrival until they are answered or abandoned. */
  readonly track = (_req: Request, res: Response, next: NextFunction): void => {
    this.inFlight++;
    res.once('close', () => {
      this.inFlight--;
      if (this.inFlight === 0) this.onEmpty?.();
    });
    next();
  };

  /** Starts draining; resolves when nothing is in flight, or when the time is up. */
  async drain(timeoutMs: number): Promise<void> {
    this.draining = true;
    if (this.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
