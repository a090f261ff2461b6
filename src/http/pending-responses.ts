/**
 * The pending responses of each connection. A client may pipeline requests (RFC 9112 9.3.2). They are handled one at a time: a
 * client that does not read holds up only one response, and its requests cannot monopolise the event loop.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isClosing } from './unread-body';

/** Browsers and proxies do not pipeline; other tools rarely send more than ten requests ahead. */
const MAX_PENDING = 16;

export class PendingResponses {
  private readonly bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  /** Returns the pending responses of a connection, oldest first. */
  of(socket: Duplex): readonly ServerResponse[] {
    return [...(this.bySocket.get(socket) ?? [])];
  }

  /**
   * Calls `handle` once the earlier responses have been sent. Discards the request if the connection is closed or closes after
   * an earlier response. Closes the connection if too many requests wait.
   */
  admit(req: IncomingMessage, res: ServerResponse, handle: () => void): void {
    const { socket } = req;
    const isOver = () => !socket.writable || isClosing(socket);
    const start = () => {
      if (isOver()) req.resume();
      else handle();
    };
    if (isOver()) {
      req.resume();
      return;
    }
    const responses = this.bySocket.get(socket) ?? new Set();
    this.bySocket.set(socket, responses);
    if (responses.size >= MAX_PENDING) {
      socket.destroy();
      return;
    }
    const last = [...responses].at(-1);
    responses.add(res);
    res.once('close', () => responses.delete(res));
    // In the next turn of the event loop, so that other connections get their turn.
    if (last) last.once('close', () => setImmediate(start));
    else start();
  }
}
