/**
 * Refusing a request whose body has not been read: answer, then close, instead of swallowing 20 MB.
 *
 * Closing at once would be wrong: data that arrives at a closed socket is answered by the kernel with a reset,
 * which may overtake our answer on its way to the client. So the sending side is closed, a little of what still
 * comes is thrown away, and then the socket goes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const LINGER_MS = 1_000;
/** Enough for clients that only read once they have sent everything, if that is not much. */
const LINGER_BYTES = 1024 * 1024;

/** To be called before the answer is written. Does nothing when the body has been read or there is none. */
export function closeAfterAnswer(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete || !hasBody(req)) return;
  res.setHeader('Connection', 'close');
  let discarded = 0;
  req.on('data', (piece: Buffer) => {
    discarded += piece.length;
    if (discarded > LINGER_BYTES) req.pause();
  });
  req.resume();
  const { socket } = req;
  // Node calls this once the answer is written; its own version destroys the socket straight away.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
    };
    socket.once('close', () => clearTimeout(timer));
    if (req.complete) done();
    else req.once('end', done);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
