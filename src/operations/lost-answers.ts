/**
 * Requests that a client sends one behind the other without waiting (RFC 9112 9.3.2), when the connection goes: Node
 * tells only the answer that is being sent. Those queued behind it would never learn that nobody waits for them, and
 * whatever is held until an answer is over (memory, a place among the requests in flight) would be held for ever.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Gives every answer its `close`. */
export function announceLostAnswers(server: Server): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, res) => {
    let answers = waiting.get(socket);
    if (!answers) {
      const all = (answers = new Set<ServerResponse>());
      waiting.set(socket, all);
      // After Node has told its own.
      socket.once('close', () => setImmediate(() => all.forEach(announce)));
    }
    const open = answers.add(res);
    res.once('close', () => open.delete(res));
  });
}

function announce(res: ServerResponse): void {
  res.destroyed = true;
  res.emit('close');
}
