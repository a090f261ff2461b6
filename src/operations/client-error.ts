/** Requests that are not even HTTP, or never end: Node's parser gives up before any of our code runs. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { Problem } from './problem';

/** Answers them in the shape of all other errors, then closes. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    const { statusLine, detail } = explain(error.code);
    const body = JSON.stringify({
      ...new Problem('invalid_request', detail).toBody(requestId),
      status: Number(statusLine.slice(0, 3)),
    });
    socket.end(
      [
        `HTTP/1.1 ${statusLine}`,
        'Connection: close',
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        '',
        body,
      ].join('\r\n'),
    );
  });
}

function explain(code: string | undefined): { statusLine: string; detail: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        statusLine: '431 Request Header Fields Too Large',
        detail: 'The request headers are too large.',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        statusLine: '408 Request Timeout',
        detail: 'The request was not sent within the time allowed.',
      };
    default:
      return { statusLine: '400 Bad Request', detail: 'What was sent is not an HTTP request.' };
  }
}
