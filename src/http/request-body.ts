/**
 * The body of a request: the permission to send it, the size of its pieces, and the end of a connection whose
 * body is not read. Many clients write the whole body before they read, so closing at once would lose the
 * response.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether the request declares a body that is not empty. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Leaves `Expect: 100-continue` (RFC 9110 10.1.1) to the route: Node would send `100 Continue` before any check. */
export function deferExpectContinue(server: Server): void {
  const route = (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res);
  server.on('checkContinue', route).on('checkExpectation', route);
}

/** Sends `100 Continue` if the client waits for it. Call it after all header checks, just before reading the body. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (res.socket && /\b100-continue\b/i.test(req.headers.expect ?? '')) res.writeContinue();
}

/** Each piece takes some 2 µs, so a megabyte in one-byte chunks takes as long as hundreds of megabytes in large ones. */
const LEAST_AVERAGE_BYTES = 32;
/** Number of pieces that may have any size: heads of parts, and clients that send the start of a file byte by byte. */
const ANY_SIZE = 1_024;

/**
 * Finds bodies in pieces of a few bytes, which chunked encoding allows (RFC 9112, 7.1) and which cost far
 * more time than bytes.
 */
export class PieceSizes {
  /** Of all pieces so far. */
  bytes = 0;
  private pieces = 0;

  /** Counts a piece. Returns whether the pieces so far are too small on average. */
  areTinyWith({ length }: Buffer): boolean {
    this.pieces++;
    this.bytes += length;
    return this.pieces > ANY_SIZE && this.bytes < this.pieces * LEAST_AVERAGE_BYTES;
  }
}

interface Bounds {
  /** Time for the client to send the rest, read the response and close, pauses included. Its pipelined requests are discarded. */
  readonly ms: number;
  readonly bytes: number;
}

/** nginx's lingering_time, and three large uploads. A client on a busy machine may pause for more than 5 s. */
const PATIENT: Bounds = { ms: 30_000, bytes: 64 * 1024 * 1024 };
/** Enough for data that is already in transit. */
const BRIEF: Bounds = { ms: 1_000, bytes: 1024 * 1024 };
/** Number of sockets with the patient bounds at the same time; further ones get the brief bounds. */
const MAX_PATIENT = 64;

let lingering = 0;

interface Connection extends Duplex {
  served?: {
    readonly pending: Set<ServerResponse>;
    /** Whether it closes after the current response, so that no further request counts. */
    isClosing: boolean;
    /** Whether something has arrived that is not HTTP. */
    isBroken: boolean;
  };
}

export function trackConnection(socket: Connection) {
  return (socket.served ??= { pending: new Set(), isClosing: false, isBroken: false });
}

/**
 * Closes the connection after the response if the body is not read; call it before writing. Closing while
 * data arrives makes the kernel reset the connection, and the client may see the reset before the response.
 * So this ends the sending side, discards the body within bounds, and then closes: nginx's lingering close.
 * Further calls do nothing.
 */
export function closeAfterResponse(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  // The `close` event of a socket that has closed will not fire again, so nothing would be released.
  const connection = trackConnection(socket);
  if (req.complete || !hasBody(req) || socket.destroyed || connection.isClosing) return;
  res.setHeader('Connection', 'close');
  connection.isClosing = true;
  const bounds = lingering < MAX_PATIENT ? PATIENT : BRIEF;
  if (bounds === PATIENT) {
    lingering++;
    socket.once('close', () => lingering--);
  }
  const sizes = new PieceSizes();
  let timer: NodeJS.Timeout | undefined;
  const closeWithin = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), ms);
  };
  req.on('data', (piece: Buffer) => {
    if (!sizes.areTinyWith(piece) && sizes.bytes <= bounds.bytes) return;
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
