/**
 * Refuses a request whose body has not been read: sends the response, discards the body, then closes the connection.
 *
 * Closing at once would lose responses: the kernel resets the connection when data arrives at a closed socket, and the client may see the
 * reset before the response. Many clients (Python's http.client and requests, Java, most SDKs) write the whole body before they read. So
 * this closes the sending side, reads and discards the body within bounds, and then closes the socket. nginx calls this lingering close.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { PieceSizes } from './piece-sizes';

interface Bounds {
  /** Time for the client to send the rest, read the response and close, pauses included. Its pipelined requests are discarded. */
  readonly ms: number;
  readonly bytes: number;
}

/**
 * nginx's lingering_time, and the size of three large uploads. nginx also closes after a pause of 5 s (lingering_timeout). Here a
 * client on a busy machine may pause for longer: an open socket costs no more than an idle connection, which may stay for 72 s.
 */
const PATIENT: Bounds = { ms: 30_000, bytes: 64 * 1024 * 1024 };
/** Enough for data that is already in transit. */
const BRIEF: Bounds = { ms: 1_000, bytes: 1024 * 1024 };
/** Number of sockets with the patient bounds at the same time; further ones get the brief bounds. */
const MAX_PATIENT = 64;

let lingering = 0;
const closing = new WeakSet<Duplex>();

/** Returns whether the connection closes after the current response, so that no further request counts. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Closes the connection after the response. Call it before writing the response. Does nothing if no body remains, or if called before. */
export function closeAfterResponse(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  // The `close` event of a socket that has closed will not fire again, so nothing would be released.
  if (req.complete || !hasBody(req) || socket.destroyed || closing.has(socket)) return;
  res.setHeader('Connection', 'close');
  closing.add(socket);
  const isPatient = lingering < MAX_PATIENT;
  if (isPatient) lingering++;
  socket.once('close', () => {
    if (isPatient) lingering--;
  });
  const bounds = isPatient ? PATIENT : BRIEF;
  const sizes = new PieceSizes();
  let discarded = 0;
  let timer: NodeJS.Timeout | undefined;
  const closeWithin = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), ms);
  };
  req.on('data', (piece: Buffer) => {
    discarded += piece.length;
    if (discarded <= bounds.bytes && !sizes.areTinyWith(piece)) return;
    // Paused, not destroyed: the response may not have been sent yet.
    req.pause();
    if (timer) closeWithin(BRIEF.ms);
  });
  req.resume();
  // Node calls destroySoon once the response is written; the original destroys the socket as soon as it is sent.
  socket.destroySoon = () => {
    socket.end();
    closeWithin(req.isPaused() ? BRIEF.ms : bounds.ms);
    socket.once('close', () => clearTimeout(timer));
  };
}

/** Closes the connection after any response if the body is unread. By default Node then reads the rest of the body, at any length. */
export function boundUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (!hasBody(req)) return;
  const writeHead = res.writeHead.bind(res) as (...head: unknown[]) => ServerResponse;
  res.writeHead = (...head: unknown[]) => {
    closeAfterResponse(req, res);
    return writeHead(...head);
  };
}

/** Returns whether the request declares a non-empty body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
