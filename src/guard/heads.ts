/** The heads of requests and responses on their way through the guard, and what makes a request ambiguous. */
import type { IncomingMessage } from 'node:http';

type Header = [name: string, value: string];
type Head = Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>;

/** They belong to one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
/** `Connection` cannot remove these: without them, a request would be another one. */
const ALWAYS_KEPT = ['host', 'content-length'];
/** With these, a client could claim to be another one. */
const CLAIMS = /^(forwarded|x-real-ip|x-forwarded-.*)$/;

/** Returns why a request is refused, as a sentence: two programs could see two requests in it. */
export function ambiguityOf({ headersDistinct, httpVersion, method }: IncomingMessage): string | undefined {
  if (method === 'CONNECT') return 'There are no tunnels here.';
  const codings = headersDistinct['transfer-encoding'];
  if ((headersDistinct['host']?.length ?? 0) > 1) return 'The request has two Host headers.';
  if (codings && httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding.';
  if (codings && codings.join().toLowerCase() !== 'chunked')
    return 'The only transfer coding here is chunked.';
  return undefined;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The address that sends a request, or the last one that a trusted proxy names. */
export function clientOf({ headers, socket }: IncomingMessage, trustsProxy: boolean): string {
  const named = trustsProxy ? headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() : undefined;
  return named ?? socket.remoteAddress ?? '';
}

/** What is known of a body when its head goes upstream. */
export interface KnownBody {
  /** All of it has been read, so that nobody waits for `100 Continue`. */
  readonly isRead: boolean;
  /** The new length in bytes, if it was changed. */
  readonly changedTo?: number | undefined;
}

/** Returns raw headers with those that describe the client. @param trustsProxy whether the client's own are true */
export function requestHeaders(
  req: IncomingMessage,
  { isRead, changedTo }: KnownBody,
  trustsProxy: boolean,
): string[] {
  const { headers, method = '' } = req;
  const isChunked = headers['transfer-encoding'] !== undefined;
  const kept = endToEnd(req.rawHeaders, isChunked).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    // CGI and WSGI treat both characters alike.
    const read = lower.replaceAll('_', '-');
    const isOwn = trustsProxy ? read === 'x-forwarded-for' : CLAIMS.test(read);
    if (isOwn || (lower === 'expect' && isRead)) return [];
    return [name, lower === 'content-length' && changedTo !== undefined ? String(changedTo) : value];
  });
  const claimed = (name: string) => (trustsProxy ? headers[name]?.toString() : undefined);
  const clients = [claimed('x-forwarded-for'), req.socket.remoteAddress].filter(Boolean);
  kept.push('X-Forwarded-For', clients.join(', '));
  if (claimed('x-forwarded-proto') === undefined) kept.push('X-Forwarded-Proto', 'http');
  const { host } = headers;
  if (claimed('x-forwarded-host') === undefined && host) kept.push('X-Forwarded-Host', host);
  if (isChunked) kept.push('Transfer-Encoding', 'chunked');
  // Without a length, Node.js would announce chunks.
  else if (headers['content-length'] === undefined && !/^(GET|HEAD)$/.test(method))
    kept.push('Content-Length', '0');
  return kept;
}

/** Without the headers of the connection, and those that `Connection` names. Node.js throws at a `Trailer` where no chunks follow. */
export function endToEnd(rawHeaders: readonly string[], isChunked = false): Header[] {
  const all = pairs(rawHeaders);
  const connection = all.filter(([name]) => name.toLowerCase() === 'connection');
  const named = connection.flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/));
  const isDropped = (name: string) =>
    HOP_BY_HOP.includes(name) ||
    (named.includes(name) && !ALWAYS_KEPT.includes(name)) ||
    (name === 'trailer' && !isChunked);
  return all.filter(([name]) => !isDropped(name.toLowerCase()));
}

/** @param raw names and values by turns, as Node.js lists raw headers and trailers */
export function pairs(raw: readonly string[]): Header[] {
  const all: Header[] = [];
  for (let i = 0; i < raw.length; i += 2) all.push([raw[i], raw[i + 1]]);
  return all;
}

/** Returns a head as bytes, for interim responses and upgraded connections, which no ServerResponse writes. */
export function headBytes({ statusCode = 0, statusMessage = '', rawHeaders }: Head): Buffer {
  const lines = pairs(rawHeaders).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n'), 'latin1');
}
