/** Responses to clients: the upstream's, passed on unchanged, or an error of the guard's own. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { endToEnd, pairs } from './heads';

/** Bounds what is read of a body whose response has ended. Closing the connection at once could cost the client the response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARDING_MS = 5_000;

/**
 * Passes a response at once, even while the request is still on its way; the rest of that one is discarded after it.
 * @throws Error before anything is sent if Node.js does not write such a head
 */
export function relay(
  response: IncomingMessage,
  req: IncomingMessage,
  res: ServerResponse,
  isChanged: boolean,
) {
  const { statusCode = 502, statusMessage, rawHeaders } = response;
  const isChunked = response.headers['transfer-encoding'] !== undefined && mayBeChunked(req, statusCode);
  const headers = endToEnd(rawHeaders, isChunked);
  const kept = isChanged ? headers.filter(([name]) => !/^(etag|last-modified)$/i.test(name)) : headers;
  // After an upgrade that is ignored, Node.js loses what the client has pipelined.
  if (!req.complete || req.headers.upgrade !== undefined) kept.push(['Connection', 'close']);
  res.sendDate = false;
  res.writeHead(statusCode, statusMessage, kept.flat());
  // In one packet with the body, if some of it is here; without waiting for it otherwise.
  setImmediate(() => res.flushHeaders());
  response.pipe(res, { end: false });
  response.on('error', () => res.destroy());
  response.once('end', () => {
    res.addTrailers(pairs(response.rawTrailers));
    if (req.complete) return void res.end();
    // The client sees the end of the response at once, and that of the connection later.
    const isEnded = res.chunkedEncoding && response.rawTrailers.length === 0;
    if (isEnded) req.socket.write('0\r\n\r\n');
    const end = () => {
      if (isEnded) req.socket.destroySoon();
      else res.end();
    };
    const timer = setTimeout(end, DISCARDING_MS);
    res.once('close', () => clearTimeout(timer));
    let left = MAX_DISCARDED_BYTES;
    req.unpipe().on('data', ({ length }: Buffer) => {
      left -= length;
      if (left < 0) end();
    });
    req.once('end', end);
  });
}

const mayBeChunked = ({ httpVersion, method }: IncomingMessage, status: number) =>
  httpVersion === '1.1' && method !== 'HEAD' && status !== 204 && status !== 304;

export const FAILURES = {
  502: 'The upstream cannot be reached, or has broken the connection.',
  504: 'The upstream did not respond in time.',
};

export function answer(res: ServerResponse, status: number, sentence: string) {
  const body = `${sentence}\n`;
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length };
  // A relayed head that failed leaves its reason phrase.
  res.writeHead(status, STATUS_CODES[status], { ...type, Connection: 'close' }).end(body);
}
