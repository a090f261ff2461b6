/** What is known about a request, from its first byte to its log line. */
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  readonly requestId: string;
  /** On the clock of performance.now(). */
  readonly arrivedAt: number;
  /** Set by the API key guard. */
  caller?: { readonly accountId: string; readonly keyId: string };
  /** Facts for the log line; never keys, never image bytes. */
  readonly logged: Record<string, unknown>;
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext;
  }
}

/** What may be echoed into headers and logs without a second thought. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own request id when it is safe, a new one otherwise. */
function requestIdFor(incoming: string | undefined): string {
  return incoming && SAFE_REQUEST_ID.test(incoming) ? incoming : randomUUID();
}

/** Gives every request its context and every response its X-Request-Id; the first thing on the way. */
export function openRequestContext(req: Request, res: Response, next: NextFunction): void {
  req.context = {
    requestId: requestIdFor(req.header('x-request-id')),
    arrivedAt: performance.now(),
    logged: {},
  };
  res.setHeader('X-Request-Id', req.context.requestId);
  // Answers carry keys, accounts and private images: nothing between us and the caller shall keep one.
  res.setHeader('Cache-Control', 'no-store');
  next();
}
