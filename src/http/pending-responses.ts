/**
 * The pending responses of each connection. A client may pipeline requests (RFC 9112 9.3.2). Node then holds each response
 * until the ones before it are sent, which never happens if the client does not read; and when the connection closes, Node
 * emits `close` only on the first of them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isClosing } from './unread-body';

/** Browsers and proxies do not pipeline; tools that do rarely send more than ten requests ahead. */
const MAX_PENDING = 16;

export class PendingResponses {
  private readonly bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  /** Returns the pending responses of a connection, oldest first. */
  of(socket: Duplex): readonly ServerResponse[] {
    return [...(this.bySocket.get(socket) ?? [])];
  }

  /**
   * Adds the response of a new request. Returns false if there are too many, which closes the connection, or if the
   * connection is closed or closes after an earlier response, which discards the request.
   */
  admit(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req;
    if (socket.destroyed || isClosing(socket)) {
      req.resume();
      return false;
    }
    let responses = this.bySocket.get(socket);
    if (!responses) {
      const all = (responses = new Set<ServerResponse>());
      this.bySocket.set(socket, all);
      // After Node has emitted `close` on the first response. Without this, the resources of the others (memory, the
      // count of requests in flight) would never be released.
      socket.once('close', () => setImmediate(() => all.forEach(announceClose)));
    }
    if (responses.size >= MAX_PENDING) {
      socket.destroy();
      return false;
    }
    const pending = responses.add(res);
    res.once('close', () => pending.delete(res));
    return true;
  }
}

function announceClose(res: ServerResponse): void {
  res.destroyed = true;
  res.emit('close');
}
