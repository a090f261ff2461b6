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
import { SETTINGS, type Settings } from '../../settings/settings';
import { CompressionUnavailable } from '../application/compression-runner.port';
import { bodyBytesOf, readMultipartImage } from './multipart-image';
import { UploadBudget } from './upload-budget';

type UploadRequest = Request & { uploadedImage?: Buffer };

/** Reads the uploaded image once the guards have let the request in and there is memory for it. */
@Injectable()
export class ImageUploadInterceptor implements NestInterceptor {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly budget: UploadBudget,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<UploadRequest>();
    const res = context.switchToHttp().getResponse<Response>();
    // Who has left while the guards were asking is not announced again: what waits for it would wait for ever.
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const { maxUploadBytes } = this.settings;
    const bodyBytes = bodyBytesOf(req, maxUploadBytes);
    const release = this.budget.claim(bodyBytes, req.context.caller?.accountId);
    if (!release) throw new CompressionUnavailable('overloaded');
    res.once('close', release);
    req.uploadedImage = await readMultipartImage(req, res, bodyBytes, maxUploadBytes);
    return next.handle();
  }
}

/** The bytes that ImageUploadInterceptor has read. */
export const UploadedImage = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { uploadedImage } = context.switchToHttp().getRequest<UploadRequest>();
  if (!uploadedImage) throw new Error('UploadedImage needs the ImageUploadInterceptor on the same route');
  return uploadedImage;
});
