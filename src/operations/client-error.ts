/** Requests that are not even HTTP, or never end: Node's parser gives up before any of our code runs. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from './problem';

/** Answers them in the shape of all other errors, then closes. */
export function answerClientErrors(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req, res) => {
    answering.set(req.socket, res);
    res.once('close', () => answering.delete(req.socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const pending = answering.get(socket);
    if (pending && !pending.req.complete && error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
      // The request that is being answered is itself what broke off: there is nobody to answer.
      socket.destroy();
    } else if (pending?.req.complete) {
      // A good request was followed by nonsense: its answer goes out first, and nothing after it.
      pending.once('close', () => socket.destroy());
    } else if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else {
      socket.end(rawAnswer(problemFor(error.code)));
    }
  });
}

function problemFor(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'The request headers are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request was not sent within the time allowed.');
    default:
      return new Problem('invalid_request', 'What was sent is not an HTTP request.');
  }
}

function rawAnswer(problem: Problem): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toBody(requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    '',
    body,
  ].join('\r\n');
}
