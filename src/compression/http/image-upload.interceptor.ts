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
import { refuseByHeader } from '../formats/image-header';
import { readMultipartImage } from './multipart-image';

type UploadRequest = Request & { uploadedImage?: Buffer };

/**
 * Reads the uploaded image once the guards have let the request in, and refuses by its header what must never
 * reach a decoder.
 */
@Injectable()
export class ImageUploadInterceptor implements NestInterceptor {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<UploadRequest>();
    const res = context.switchToHttp().getResponse<Response>();
    const image = await readMultipartImage(req, res, this.settings.maxUploadBytes);
    refuseByHeader(image, this.settings.policy.maxPixels);
    req.uploadedImage = image;
    return next.handle();
  }
}

/** The bytes that ImageUploadInterceptor has read. */
export const UploadedImage = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { uploadedImage } = context.switchToHttp().getRequest<UploadRequest>();
  if (!uploadedImage) throw new Error('UploadedImage needs the ImageUploadInterceptor on the same route');
  return uploadedImage;
});
