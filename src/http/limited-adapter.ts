/** An Express adapter whose Node.js server has limits that Nest has no options for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { PendingResponses } from './pending-responses';
import { boundUnreadBody } from './unread-body';

/** Longer than the 60 s of common proxies for idle connections, so the proxy closes first and never sends to a closing connection. */
const KEEP_ALIVE_MS = 72_000;
/** Limit for the head of a request, typically a few hundred bytes. */
const HEAD_TIMEOUT_MS = 12_000;
/** Limit for head and body. A body of 20 MB needs 1.4 Mbit/s; slower uploads get 408. */
export const REQUEST_TIMEOUT_MS = 120_000;
/** How often Node checks for expired requests (its default is 30 s), so a head times out within 15 s. */
const CHECK_INTERVAL_MS = 3_000;

export class LimitedExpressAdapter extends ExpressAdapter {
  readonly pending = new PendingResponses();

  override initHttpServer(): void {
    const route = this.getInstance<(req: IncomingMessage, res: ServerResponse) => void>();
    this.httpServer = createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEAD_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        // Node would respond without a body; see requireHost in server.ts.
        requireHostHeader: false,
      },
      // Checked before Express, which makes a request ten times as expensive.
      (req, res) =>
        this.pending.admit(req, res, () => {
          boundUnreadBody(req, res);
          route(req, res);
        }),
    );
  }
}
