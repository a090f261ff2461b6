/** The shutdown state of this process, and its number of requests in flight. */
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

@Injectable()
export class Lifecycle {
  private stopping = false;
  private draining = false;
  private inFlight = 0;
  private onEmpty: (() => void) | undefined;

  /** True once a shutdown is announced: readiness fails. Images are accepted until `isDraining`. */
  get isStopping(): boolean {
    return this.stopping;
  }

  get requestsInFlight(): number {
    return this.inFlight;
  }

  /** True once new images are refused with 503 `draining`. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** Middleware that counts a request from its arrival until its response closes. */
  readonly track = (_req: Request, res: Response, next: NextFunction): void => {
    this.inFlight++;
    // Already during the grace period: a proxy may send the client's next connection to another instance.
    if (this.stopping) res.setHeader('Connection', 'close');
    res.once('close', () => {
      this.inFlight--;
      if (this.inFlight === 0) this.onEmpty?.();
    });
    next();
  };

  /** Makes readiness fail and resolves after the grace period, so that proxies notice before requests are refused. */
  async announceStop(graceMs: number): Promise<void> {
    this.stopping = true;
    await new Promise((resolve) => setTimeout(resolve, graceMs));
  }

  /** Starts draining; resolves when no request is in flight, or after `timeoutMs`. */
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
