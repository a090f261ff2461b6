import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Lifecycle } from '../../http/lifecycle';
import { draining } from '../../contract/service-problems';
import { CompressionRunner, CompressionUnavailable } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { UploadBudget } from './upload-budget';

/** The first check: refuses the request if the process cannot take another image. Reads no body and no database. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  private readonly maxUploadBytes: number;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
    private readonly budget: UploadBudget,
    @Inject(COMPRESSION_SETTINGS) { maxUploadBytes }: CompressionSettings,
  ) {
    this.maxUploadBytes = maxUploadBytes;
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.lifecycle.isDraining) throw draining();
    const { headers } = context.switchToHttp().getRequest<Request>();
    const declared = Number(headers['content-length'] ?? 0);
    // A body that is too large is refused later, with 413.
    const hasRoom = declared > this.maxUploadBytes || this.budget.hasRoomFor(declared);
    if (!hasRoom || this.runner.state().isFull) throw new CompressionUnavailable('overloaded');
    return true;
  }
}
