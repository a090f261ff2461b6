import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Lifecycle } from '../../operations/lifecycle';
import { Problem } from '../../operations/problem';
import { CompressionRunner, CompressionUnavailable } from '../application/compression-runner.port';
import { UploadBudget } from './upload-budget';

/** First question of all: can this process take another image? Asked before anything is read or looked up. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
    private readonly budget: UploadBudget,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.lifecycle.isDraining) {
      throw new Problem('draining', 'This instance is stopping; another one will answer.', { retryAfter: 1 });
    }
    const { headers } = context.switchToHttp().getRequest<Request>();
    const hasRoom = this.budget.hasRoomFor(Number(headers['content-length'] ?? 0));
    if (!hasRoom || this.runner.state().isFull) throw new CompressionUnavailable('overloaded');
    return true;
  }
}
