import {
  Inject,
  Injectable,
  createParamDecorator,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { CompressionRunner, CompressionUnavailable } from '../application/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { bodyBytesOf, readMultipartImage } from './multipart-image';
import { UploadBudget, type RequestMemory } from './upload-budget';

type UploadRequest = Request & { upload?: Upload };

export interface Upload {
  readonly image: Buffer;
  /** The memory that this request has reserved. */
  readonly memory: RequestMemory;
}

/** Reads the uploaded image after the guards have accepted the request, if there is memory for it. */
@Injectable()
export class ImageUploadInterceptor implements NestInterceptor {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly budget: UploadBudget,
    private readonly runner: CompressionRunner,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<UploadRequest>();
    const res = context.switchToHttp().getResponse<Response>();
    // The client may have disconnected during the guards; its `close` event will not fire again.
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const { maxUploadBytes } = this.settings;
    const bodyBytes = bodyBytesOf(req, maxUploadBytes);
    const accountId = req.context.caller?.accountId;
    const hasPlace = this.runner.hasPlaceFor(accountId ?? '');
    if (!hasPlace || !this.budget.hasRoomFor(bodyBytes, accountId))
      throw new CompressionUnavailable('overloaded');
    const memory = this.budget.open(bodyBytes, accountId);
    res.once('close', () => memory.release());
    const onBytes = (bytes: number) => memory.bodyHasGrownTo(bytes);
    const limits = { maxBodyBytes: bodyBytes, maxUploadBytes, onBytes };
    req.upload = { image: await readMultipartImage(req, res, limits), memory };
    return next.handle();
  }
}

/** Injects the Upload that ImageUploadInterceptor has read, and removes it from the request so that it can be freed. */
export const Uploaded = createParamDecorator((_: unknown, context: ExecutionContext): Upload => {
  const req = context.switchToHttp().getRequest<UploadRequest>();
  const { upload } = req;
  if (!upload) throw new Error('Uploaded needs ImageUploadInterceptor on the same route');
  delete req.upload;
  return upload;
});
