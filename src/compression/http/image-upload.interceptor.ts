import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { requireCaller } from '../../http/requests';
import { CompressionRunner, CompressionUnavailable } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { readLength, type ReadUpload, type Upload, type UploadLimits } from './arriving-body';
import { FRAMING_BYTES, readMultipartImage } from './multipart-image';
import { UploadBudget } from './upload-budget';

declare module '../../http/requests' {
  interface RequestContext {
    upload?: Upload;
  }
}

@Injectable()
export abstract class UploadInterceptor implements NestInterceptor {
  protected abstract readonly framingBytes: number;

  constructor(
    @Inject(COMPRESSION_SETTINGS) protected readonly settings: CompressionSettings,
    private readonly budget: UploadBudget,
    private readonly runner: CompressionRunner,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<Request>();
    const res = context.switchToHttp().getResponse<Response>();
    const { maxUploadBytes, resultFormats: formats } = this.settings;
    const { framingBytes } = this;
    const bodyBytes = readLength(req, maxUploadBytes, framingBytes);
    const shareKey = fairShareKey(req);
    const hasPlace = this.runner.hasPlaceFor(shareKey);
    if (!hasPlace || !this.budget.hasRoomFor(bodyBytes, shareKey))
      throw new CompressionUnavailable('overloaded');
    const memory = this.budget.openFor(res, bodyBytes, shareKey);
    const onBytes = (bytes: number) => memory.bodyHasGrownTo(bytes);
    const limits = { maxBodyBytes: bodyBytes, maxUploadBytes, framingBytes, formats, onBytes };
    req.context.upload = { ...(await this.read(req, res, limits)), memory };
    return next.handle();
  }

  protected abstract read(req: Request, res: Response, limits: UploadLimits): Promise<ReadUpload>;
}

@Injectable()
export class ImageUploadInterceptor extends UploadInterceptor {
  protected readonly framingBytes = FRAMING_BYTES;
  protected readonly read = readMultipartImage;
}

/** Removes it from the request, so that it can be freed. */
export function takeUpload({ context }: Request): Upload {
  const { upload } = context;
  if (!upload) throw new Error('This route needs an UploadInterceptor');
  delete context.upload;
  return upload;
}

/** Whose share of queue, workers and memory the request takes. Trials are free, so those of one address share one. */
export function fairShareKey(req: Pick<Request, 'context' | 'ip'>): string {
  const { isTrial, accountId } = requireCaller(req);
  return isTrial ? `trials of ${normalizeIp(req.ip ?? '')}` : accountId;
}
