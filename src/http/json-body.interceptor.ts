/**
 * Reads the JSON body once the guards have accepted the request, so that a refused client sends nothing.
 * Malformed JSON is refused as `invalid_request`, by ProblemFilter.
 */
import { promisify } from 'node:util';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { json } from 'express';
import type { Observable } from 'rxjs';
import { sendContinue } from './request-body';
import { exchangeOf } from './requests';

/** JSON bodies of this API have a few short fields. */
const MAX_JSON_BYTES = 10 * 1024;
const parseJson = promisify(json({ limit: MAX_JSON_BYTES }));

@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { req, res } = exchangeOf(context);
    if (Number(req.headers['content-length'] ?? 0) <= MAX_JSON_BYTES) sendContinue(req, res);
    await parseJson(req, res);
    return next.handle();
  }
}
