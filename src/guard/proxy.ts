/**
 * A reverse proxy for one upstream. Everything passes as it came, streamed, except what belongs to one connection, the headers that
 * describe the client, and a body that was changed. Ambiguous requests are refused.
 */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ambiguityOf, hasBody, headBytes, pairs, requestHeaders, type KnownBody } from './heads';
import { answer, FAILURES, relay } from './responses';
import { ArrivingRequest, Upgrades } from './upgrades';

/** What goes upstream as a body: pieces, and then whatever of the request has not been read. */
export interface OutgoingBody extends KnownBody {
  readonly pieces: readonly Uint8Array[];
  /** Called when the pieces are no longer needed; perhaps more than once. */
  readonly release?: () => void;
}

export interface ProxyOptions {
  readonly to: { readonly host: string; readonly port: number };
  /** Whether the client is a proxy whose `X-Forwarded-*` are true. */
  readonly trustsProxy: boolean;
  /** Longest silence of the upstream before the head of its response, also while it reads nothing of a request. */
  readonly upstreamTimeoutMs: number;
  /** Reads as much of a body as has to be seen first. Undefined once the client has disconnected. */
  readonly takeBody: (req: IncomingMessage, res: ServerResponse) => Promise<OutgoingBody | undefined>;
}

const HEAD_TIMEOUT_MS = 15_000;
/** Longer than the 60 s of common proxies for idle connections, so that they close first. */
const KEEP_ALIVE_MS = 72_000;
const IDLE_CHECK_MS = 250;
const MAX_PIPELINED = 16;

/** Returns a server that does not listen yet, and a function that ends it: requests in progress may take so many milliseconds. */
export function createProxy(options: ProxyOptions) {
  const idle = new Agent({ keepAlive: true });
  // For requests that cannot be repeated: an idle connection may be just closing. They are not sent with `Connection: close`, because
  // after an early response, some servers would cut such a connection before it is read.
  const fresh = new Agent({ keepAlive: true });
  fresh.maxFreeSockets = 0;
  const unanswered = new WeakMap<Duplex, Set<ServerResponse>>();
  const limits = { requestTimeout: 0, headersTimeout: HEAD_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const { to } = options;
  const authority = `${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`;
  const upgrades = new Upgrades((req, headers) => open(req, headers, false), options.trustsProxy);
  const server = createServer({ ...limits, IncomingMessage: ArrivingRequest }, take);
  server.on('checkContinue', take).on('upgrade', upgrade);
  return { server, drain };

  async function drain(ms: number) {
    const closed = once(server, 'close');
    server.close();
    upgrades.cut();
    // Connections that become idle after close() would stay open.
    const idling = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const cut = setTimeout(() => server.closeAllConnections(), ms);
    await closed;
    clearInterval(idling);
    clearTimeout(cut);
    for (const agent of [idle, fresh]) agent.destroy();
  }

  /** Pipelined requests go upstream one after the other, in their order. */
  function take(req: IncomingMessage, res: ServerResponse) {
    const responses = unanswered.get(req.socket) ?? new Set();
    unanswered.set(req.socket, responses);
    if (responses.size >= MAX_PIPELINED) return void req.socket.destroy();
    inTurn(responses, () => void forward(req, res));
    responses.add(res);
    res.once('close', () => responses.delete(res));
  }

  async function forward(req: IncomingMessage, res: ServerResponse) {
    if (res.destroyed) return;
    const ambiguity = ambiguityOf(req);
    if (ambiguity) return answer(res, 400, ambiguity);
    const body = await options.takeBody(req, res);
    if (!body || res.closed) return body?.release?.();
    if (body.release) res.once('close', body.release);
    const isRepeatable = /^(GET|HEAD|OPTIONS)$/.test(req.method ?? '') && !hasBody(req);
    send(req, res, body, isRepeatable ? idle : fresh);
  }

  function send(req: IncomingMessage, res: ServerResponse, body: OutgoingBody, agent: Agent) {
    const upstream = open(req, requestHeaders(req, body, options.trustsProxy), agent);
    if (!upstream) return answer(res, 400, 'The request has characters that cannot be passed on.');
    let response: IncomingMessage | undefined;
    const isWaiting = () => !response && !res.destroyed && !res.headersSent;
    const fail = (status: 502 | 504) => {
      if (isWaiting()) answer(res, status, FAILURES[status]);
      upstream.destroy();
    };
    upstream.on('timeout', () => {
      // Otherwise the client is slow, or the response goes on.
      if (isWaiting() && (upstream.writableFinished || upstream.writableLength > 0)) fail(504);
    });
    upstream.on('error', ({ code }: NodeJS.ErrnoException) => {
      // The upstream had closed the idle connection while the request was on its way.
      if (isWaiting() && upstream.reusedSocket && code === 'ECONNRESET') send(req, res, body, fresh);
      else fail(code === 'ETIMEDOUT' ? 504 : 502);
    });
    upstream.on('information', (interim) => {
      const isExpected = interim.statusCode !== 100 || (req.headers.expect !== undefined && !body.isRead);
      // A response that waits for others has no socket yet. Interim ones are hints, so they are left out.
      if (isExpected && isWaiting() && req.httpVersion === '1.1') res.socket?.write(headBytes(interim));
    });
    upstream.on('response', (incoming) => {
      // A bare 101, which nobody asked for, too.
      if (Number(incoming.statusCode) < 200) return fail(502);
      try {
        relay(incoming, req, res, body.changedTo !== undefined);
        response = incoming;
      } catch {
        // Node.js reads heads that it does not write.
        fail(502);
      }
    });
    // Nobody asked for one.
    upstream.on('upgrade', () => fail(502));
    upstream.once('finish', () => body.release?.());
    res.once('close', () => {
      if (!response?.complete || !upstream.writableFinished) upstream.destroy();
    });
    const end = () => {
      upstream.addTrailers(pairs(req.rawTrailers));
      upstream.end();
    };
    for (const piece of body.pieces) upstream.write(piece);
    if (body.isRead) return end();
    req.pipe(upstream, { end: false });
    req.once('end', end);
  }

  function open(
    { method, url: path, headers: { host } }: IncomingMessage,
    own: string[],
    agent: Agent | false,
  ) {
    try {
      const { upstreamTimeoutMs: timeout } = options;
      // HTTP/1.0 does without, as health checks do.
      const headers = host === undefined ? ['Host', authority, ...own] : own;
      return request({ ...to, method, path, headers, agent, timeout, setHost: false });
    } catch {
      return undefined;
    }
  }

  function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer) {
    // First, because Node.js no longer listens: a client that leaves while it waits would end the process.
    socket.on('error', () => socket.destroy());
    inTurn(unanswered.get(socket), () => upgrades.join(req, socket, head));
  }
}

/** Waits for the responses to earlier requests of the connection; otherwise they would end up among what follows. */
function inTurn(earlier: ReadonlySet<ServerResponse> = new Set(), run: () => void) {
  const last = [...earlier].at(-1);
  if (last) last.once('close', run);
  else run();
}
