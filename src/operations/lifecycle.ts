/** Knows whether this process is stopping, and what it still has to finish. */
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

@Injectable()
export class Lifecycle {
  private stopping = false;
  private draining = false;
  private inFlight = 0;
  private onEmpty: (() => void) | undefined;

  /** Readiness fails; during the grace, images are still taken. */
  get isStopping(): boolean {
    return this.stopping;
  }

  get requestsInFlight(): number {
    return this.inFlight;
  }

  /** From now on new images are refused with 503 `draining`, and connections are closed after their answer. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** Counts requests from arrival until they are answered or abandoned. */
  readonly track = (_req: Request, res: Response, next: NextFunction): void => {
    this.inFlight++;
    // Also during the grace: who comes back over a new connection may be sent elsewhere.
    if (this.stopping) res.setHeader('Connection', 'close');
    res.once('close', () => {
      this.inFlight--;
      if (this.inFlight === 0) this.onEmpty?.();
    });
    next();
  };

  /** Fails readiness and goes on serving for the grace, so that proxies notice before anybody is refused. */
  async announceStop(graceMs: number): Promise<void> {
    this.stopping = true;
    await new Promise((resolve) => setTimeout(resolve, graceMs));
  }

  /** Starts draining; resolves when nothing is in flight, or when the time is up. */
  async drain(timeoutMs: number): Promise<void> {
    this.stopping = true;
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
