import {
  Inject,
  Injectable,
  createParamDecorator,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { callerOf } from '../../http/requests';
import { CompressionRunner, CompressionUnavailable } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { bodyBytesOf, type UploadLimits } from './arriving-body';
import { FRAMING_BYTES, readMultipartImage } from './multipart-image';
import { UploadBudget, type RequestMemory } from './upload-budget';

type UploadRequest = Request & { upload?: Upload };

export interface Upload {
  readonly image: Buffer;
  /** The memory that this request has reserved. */
  readonly memory: RequestMemory;
}

/** Reads an upload after the guards have accepted the request, if there is memory for it. */
@Injectable()
export abstract class UploadInterceptor implements NestInterceptor {
  /** Allowance for what surrounds the file in the body. */
  protected abstract readonly framingBytes: number;

  constructor(
    @Inject(COMPRESSION_SETTINGS) protected readonly settings: CompressionSettings,
    private readonly budget: UploadBudget,
    private readonly runner: CompressionRunner,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<UploadRequest>();
    const res = context.switchToHttp().getResponse<Response>();
    const { maxUploadBytes } = this.settings;
    const { framingBytes } = this;
    const bodyBytes = bodyBytesOf(req, maxUploadBytes, framingBytes);
    const sharer = sharerOf(req);
    const hasPlace = this.runner.hasPlaceFor(sharer);
    if (!hasPlace || !this.budget.hasRoomFor(bodyBytes, sharer))
      throw new CompressionUnavailable('overloaded');
    const memory = this.budget.openFor(res, bodyBytes, sharer);
    const onBytes = (bytes: number) => memory.bodyHasGrownTo(bytes);
    const limits = { maxBodyBytes: bodyBytes, maxUploadBytes, framingBytes, onBytes };
    req.upload = { image: await this.read(req, res, limits), memory };
    return next.handle();
  }

  protected abstract read(req: Request, res: Response, limits: UploadLimits): Promise<Buffer>;
}

/** Reads the image of a multipart form. */
@Injectable()
export class ImageUploadInterceptor extends UploadInterceptor {
  protected readonly framingBytes = FRAMING_BYTES;
  protected readonly read = readMultipartImage;
}

/** Injects the Upload that an UploadInterceptor has read, and removes it from the request so that it can be freed. */
export const Uploaded = createParamDecorator((_: unknown, context: ExecutionContext): Upload => {
  const req = context.switchToHttp().getRequest<UploadRequest>();
  const { upload } = req;
  if (!upload) throw new Error('Uploaded needs an UploadInterceptor on the same route');
  delete req.upload;
  return upload;
});

/**
 * Returns whose share of queue, workers and memory the request takes: its account's. Trials are free and unlimited in number,
 * so those of one address share one. Behind a guard that authenticates the caller.
 */
export function sharerOf(req: Pick<Request, 'context' | 'ip'>): string {
  const { isTrial, accountId } = callerOf(req);
  return isTrial ? `trials of ${normalizeIp(req.ip ?? '')}` : accountId;
}
