/**
 * What differs in requests of Tinify's clients: secrets in paths, commands with GET, and an image that is the
 * whole body.
 */
import { Injectable } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { ArrivingImage } from '../../compression/application/arriving-image';
import { readBody, type ReadUpload, type UploadLimits } from '../../compression/http/arriving-body';
import { UploadInterceptor } from '../../compression/http/image-upload.interceptor';
import { notAnImage } from '../../contract/image-problems';
import { inputMissing, noUrlSources } from '../../contract/tinify-problems';
import { encodedBody } from '../../contract/upload-problems';
import { hasBody } from '../../http/request-body';
import { decodedPath } from '../../observability/hidden-keys';

/** Paths with a secret in their last part, and variants that clients may send: `//keys/KEY`, `/KEYS/KEY`, `/x/keys/KEY`. */
const SECRET = /\/(output|keys)\/+[^/]/i;
const ACCOUNT_ROUTE = /^\/api\/v1\/account\//i;

/** Middleware before all others: keeps keys and ids, either of which allows a download, out of the log and the traces. */
export const hideSecrets: RequestHandler = (req, res, next) => {
  const secret = ACCOUNT_ROUTE.test(req.path) ? null : SECRET.exec(decodedPath(req.path));
  if (!secret) return next();
  const path = `/${secret[1].toLowerCase()}/...`;
  trace.getActiveSpan()?.setAttribute('url.path', path);
  // The log writes its line at the same event, after this.
  res.once('close', () => (req.context.logged['path'] = path));
  next();
};

/** The body of a client without commands: `{}`. */
const NO_COMMANDS_BYTES = 2;

/** Some clients send commands with GET and a body (Python, Ruby), others fetch with POST and `{}` (older ones for Java). */
export const separateCommandsFromFetches: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'POST') {
    const length = Number(req.headers['content-length'] ?? Infinity);
    req.method = hasBody(req) && length > NO_COMMANDS_BYTES ? 'POST' : 'GET';
  }
  next();
};

/** Reads the image that is the body, whatever type the request declares. JSON, which would name a URL, is refused. */
@Injectable()
export class RawUploadInterceptor extends UploadInterceptor {
  protected readonly framingBytes = 0;

  protected read(req: Request, res: Response, limits: UploadLimits): Promise<ReadUpload> {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = req.headers;
    if (encoding !== 'identity') throw encodedBody();
    const isJson = /^application\/json\s*(;|$)/i.test(type);
    return readBody(req, res, limits, (resolve, reject) => {
      const body = new ArrivingImage(limits.maxBodyBytes, limits.formats);
      const refuse = () => reject(isJson ? noUrlSources() : notAnImage(body.bytes(), limits.formats));
      return {
        write: (chunk) => body.add(chunk) || refuse(),
        end: () => {
          if (body.isEmpty) reject(inputMissing());
          else if (!body.isImage()) refuse();
          else resolve({ image: body.bytes() });
        },
      };
    });
  }
}
