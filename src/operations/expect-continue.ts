/** `Expect: 100-continue` (RFC 9110 10.1.1): callers who ask before they send a large body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Leaves the answer to the route. Without this, Node tells every caller to go on and send 20 MB before a single
 * header has been looked at. Expectations of other kinds are ignored, as the specification allows.
 */
export function decideExpectationsLater(server: Server): void {
  const route = (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res);
  server.on('checkContinue', route);
  server.on('checkExpectation', route);
}

/** To be called when all checks on the headers are passed and the body is about to be read. */
export function inviteBody(req: IncomingMessage, res: ServerResponse): void {
  if (/\b100-continue\b/i.test(req.headers.expect ?? '')) res.writeContinue();
}
