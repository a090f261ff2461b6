import { Injectable, type CanActivate } from '@nestjs/common';
import { Lifecycle } from '../../operations/lifecycle';
import { Problem } from '../../operations/problem';
import { CompressionRunner, CompressionUnavailable } from '../application/compression-runner.port';

/** First question of all: can this process take another image? Asked before anything is read or looked up. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
  ) {}

  canActivate(): boolean {
    if (this.lifecycle.isDraining) {
      throw new Problem('draining', 'This instance is stopping; another one will answer.', { retryAfter: 1 });
    }
    if (this.runner.state().isFull) throw new CompressionUnavailable('overloaded');
    return true;
  }
}
