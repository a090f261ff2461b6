/** Responses to requests that Node's parser rejects before any handler runs: invalid HTTP, and requests that time out. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PendingResponses } from './pending-responses';
import type { Problem } from '../contract/problem';
import { headersTooLarge, notHttp, requestTimeout } from '../contract/service-problems';

/** Time for the client to read the response. Closing the socket while data still arrives would reset the connection. */
const LINGER_MS = 1_000;

/**
 * Sends a problem response after the pending responses of the connection, then closes it. Node emits the error again for each
 * further chunk, so only the first event counts and the socket is paused.
 */
export function respondToClientErrors(server: Server, pending: PendingResponses): void {
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (broken.has(socket)) return;
    broken.add(socket);
    socket.pause();
    const responses = pending.of(socket);
    const last = responses.at(-1);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (!last) close(socket, rawResponse(problemFor(error.code)));
    else if (last.req.complete) last.once('close', () => close(socket));
    else {
      // The last request is incomplete, so its own response would be wrong.
      const final = last.headersSent ? undefined : rawResponse(problemFor(error.code));
      const before = responses.at(-2);
      if (before) before.once('close', () => close(socket, final));
      else if (final) close(socket, final);
      else socket.destroy();
    }
  });
}

function close(socket: Duplex, finalResponse?: string): void {
  socket.end(finalResponse);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function problemFor(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    default:
      return notHttp();
  }
}

function rawResponse(problem: Problem): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toBody(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    '',
    body,
  ].join('\r\n');
}
