/** `Expect: 100-continue` (RFC 9110 10.1.1): the client waits for permission before it sends a large body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Leaves the answer to the route. By default Node sends `100 Continue` before any header has been checked, and the client sends its
 * 20 MB. Other expectations are ignored, as the RFC allows.
 */
export function deferExpectContinue(server: Server): void {
  const route = (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res);
  server.on('checkContinue', route);
  server.on('checkExpectation', route);
}

/** Sends `100 Continue` if the client waits for it. Call it after all header checks, just before reading the body. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (res.socket && /\b100-continue\b/i.test(req.headers.expect ?? '')) res.writeContinue();
}
