/** The context of a request, shared by middleware, guards and the log. */
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { holdsKey } from '../observability/hidden-keys';

interface RequestContext {
  readonly requestId: string;
  /** Arrival time on the clock of performance.now(). */
  readonly arrivedAt: number;
  /** Set by the API key guard. */
  caller?: {
    readonly accountId: string;
    readonly keyId: string;
    readonly isTrial: boolean;
    readonly quotaImages?: number | undefined;
  };
  /** Set when a worker takes the image of the request. */
  hasUsedWorker?: boolean;
  /** Fields of the log line; never keys or image bytes. */
  readonly logged: Record<string, unknown>;
}

declare module 'express-serve-static-core' {
  interface Request {
    context: RequestContext;
  }
}

/**
 * Returns the account and the key of the request.
 * @throws Error if no guard of the route has authenticated them, which is a bug
 */
export function callerOf({ context: { caller } }: Pick<Request, 'context'>) {
  if (!caller) throw new Error('This route needs a guard that authenticates the caller');
  return caller;
}

/** Request ids that are safe in headers and logs. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's request id if it is safe and holds no API key, otherwise a new one. */
function requestIdFor(incoming: string | undefined): string {
  return incoming && SAFE_REQUEST_ID.test(incoming) && !holdsKey(incoming) ? incoming : randomUUID();
}

/** The first middleware: sets the context of the request and the headers that every response has. */
export function openRequestContext(req: Request, res: Response, next: NextFunction): void {
  req.context = {
    requestId: requestIdFor(req.header('x-request-id')),
    arrivedAt: performance.now(),
    logged: {},
  };
  res.setHeader('X-Request-Id', req.context.requestId);
  // Responses contain keys, account data and private images; no cache may store them.
  res.setHeader('Cache-Control', 'no-store');
  // A browser that guesses types might run an uploaded file as a script.
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}
