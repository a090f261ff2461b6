/** WebSocket connections: the request goes upstream, and then both connections are joined until the first of them ends. */
import { IncomingMessage, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { ambiguityOf, endToEnd, hasBody, headBytes, requestHeaders } from './heads';

/** Node.js treats a request as an upgrade by this property. Any other protocol than WebSocket is ignored, as RFC 9110 allows. */
export class ArrivingRequest extends IncomingMessage {
  declare private hasUpgrade: boolean;
  get upgrade() {
    return this.hasUpgrade && this.headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(this);
  }
  set upgrade(value: boolean) {
    this.hasUpgrade = value;
  }
}

export class Upgrades {
  private readonly sockets = new Set<Duplex>();
  private isOver = false;

  /** @param open starts a request with these headers on a connection of its own; undefined if it cannot be sent */
  constructor(
    private readonly open: (req: IncomingMessage, headers: string[]) => ClientRequest | undefined,
    private readonly trustsProxy: boolean,
  ) {}

  /** @param head what the client has sent behind the request */
  join(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (socket.destroyed) return;
    const close = (line: string) => socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\n\r\n`);
    if (this.isOver) return void close('503 Service Unavailable');
    const headers = requestHeaders(req, { isRead: true }, this.trustsProxy);
    const upgrading = [...headers, 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
    const upstream = ambiguityOf(req) ? undefined : this.open(req, upgrading);
    if (!upstream) return void close('400 Bad Request');
    this.sockets.add(socket);
    socket.on('close', () => {
      this.sockets.delete(socket);
      upstream.destroy();
    });
    upstream.on('timeout', () => close('504 Gateway Timeout'));
    upstream.on('error', () => close('502 Bad Gateway'));
    upstream.on('response', (response) => {
      const { statusCode, statusMessage, rawHeaders } = response;
      const own = [...endToEnd(rawHeaders), ['Connection', 'close']].flat();
      socket.write(headBytes({ statusCode, statusMessage, rawHeaders: own }));
      response.setTimeout(0);
      pipeline(response, socket, () => undefined);
    });
    upstream.on('upgrade', (response, far: Socket, farHead) => {
      far.setTimeout(0);
      socket.write(headBytes(response));
      socket.write(farHead);
      far.write(head);
      // Both end with the first of them.
      pipeline(far, socket, far, () => undefined);
    });
    upstream.end();
  }

  /** Cuts all connections; those that would still be joined are refused, because nothing would end them. */
  cut(): void {
    this.isOver = true;
    for (const socket of this.sockets) socket.destroy();
  }
}
