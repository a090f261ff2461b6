import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { inviteBody } from './expect-continue';

/** The only JSON bodies are a few short fields. */
const MAX_JSON_BYTES = 10 * 1024;
const parseJson = json({ limit: MAX_JSON_BYTES });

/** Reads a JSON body once the guards have let the request in. A fault in it is the caller's: invalid_request. */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<Request>();
    const res = context.switchToHttp().getResponse<Response>();
    if (Number(req.headers['content-length'] ?? 0) <= MAX_JSON_BYTES) inviteBody(req, res);
    await new Promise<void>((resolve, reject) => {
      parseJson(req, res, (fault?: unknown) => {
        if (fault === undefined) resolve();
        else reject(fault instanceof Error ? fault : new Error('The body cannot be parsed'));
      });
    });
    return next.handle();
  }
}
