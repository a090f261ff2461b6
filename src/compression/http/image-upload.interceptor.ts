/** Reads the image of a request once there is room for it, into the context of the request. */
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { exchangeOf, sharerOf } from '../../http/requests';
import { CompressionSettings } from '../compression.settings';
import { Admission } from './admission';
import { readLength, type ReadUpload, type Upload, type UploadLimits } from './arriving-body';
import { FRAMING_BYTES, readMultipartImage } from './multipart-image';

declare module '../../http/requests' {
  interface RequestContext {
    upload?: Upload;
  }
}

@Injectable()
export abstract class UploadInterceptor implements NestInterceptor {
  protected abstract readonly framingBytes: number;

  constructor(
    protected readonly settings: CompressionSettings,
    private readonly admission: Admission,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { req, res } = exchangeOf(context);
    const { maxUploadBytes, acceptedFormats: formats } = this.settings;
    const { framingBytes } = this;
    const maxBodyBytes = readLength(req, maxUploadBytes, framingBytes);
    const memory = this.admission.openFor(res, sharerOf(req), maxBodyBytes);
    const onBytes = (bytes: number) => memory.bodyHasGrownTo(bytes);
    const limits = { maxBodyBytes, maxUploadBytes, framingBytes, formats, onBytes };
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
