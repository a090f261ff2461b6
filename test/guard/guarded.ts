/** Starts `ics guard` as a process, in front of an upstream of the test that remembers what arrives. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { eventually, until } from '../support/eventually';
import { ROOT } from '../support/folders';
import { portOf } from '../support/listening';

type Arrived = IncomingMessage & { readonly body: Buffer };
type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** Answers everything with 200 and `ok`, unless a handler is set. */
export class Upstream {
  readonly arrived: Arrived[] = [];
  handler: Handler | undefined;
  port = 0;
  readonly server = createServer((req, res) => {
    if (this.handler) return this.handler(req, res);
    const remember = (body: Buffer) => {
      this.arrived.push(Object.assign(req, { body }));
      res.setHeader('ETag', '"of-the-body"').end('ok');
    };
    buffer(req).then(remember, () => undefined);
  });

  static async open() {
    const upstream = new Upstream();
    upstream.port = await portOf(upstream.server);
    return upstream;
  }

  /** The only request that has arrived since the last call. */
  only(): Arrived {
    expect(this.arrived.map(({ url }) => url)).toHaveLength(1);
    return this.arrived.pop() as Arrived;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Waits as long as it takes for images, so that no result depends on the machine. */
export const PATIENT = ['--wait', '3000', '--jobs', '1'];

export class Guard {
  private output = '';
  errors = '';
  private readonly child;
  readonly exited: Promise<number | null>;
  port = 0;
  /** With `--metrics-port`. */
  metricsUrl = '';

  private constructor(to: string, args: readonly string[]) {
    const cli = join(ROOT, 'dist', 'cli', 'engine.js');
    const addresses = ['--to', to, '--listen', '127.0.0.1:0'];
    this.child = spawn(process.execPath, [cli, 'guard', ...addresses, ...args]);
    this.child.stdout.on('data', (piece: Buffer) => (this.output += piece.toString()));
    this.child.stderr.on('data', (piece: Buffer) => (this.errors += piece.toString()));
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
  }

  static start(to: number, ...args: readonly string[]) {
    return Guard.before(`http://127.0.0.1:${to}`, ...args);
  }

  /** @param url the address of the upstream */
  static async before(url: string, ...args: readonly string[]) {
    const guard = new Guard(url, args);
    await until(() => guard.child.exitCode !== null || guard.output.includes('listening'));
    if (guard.child.exitCode !== null) throw new Error(guard.errors);
    const { listening, metrics } = guard.lines()[0];
    guard.port = Number(new URL(String(listening)).port);
    guard.metricsUrl = String(metrics);
    return guard;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** As if the program that reads it has exited. */
  closeLog() {
    this.child.stdout.destroy();
  }

  get pid() {
    return this.child.pid ?? 0;
  }

  lines() {
    const whole = this.output.slice(0, this.output.lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The line of the upload to this path. */
  line(path: string) {
    return eventually(() => {
      const found = this.lines().find((one) => one['path'] === path);
      expect(found).toBeDefined();
      return found as Record<string, unknown>;
    });
  }

  open(path: string, init?: RequestInit & { duplex?: 'half' }) {
    return fetch(`${this.url}${path}`, init);
  }

  async fetch(path: string, init?: RequestInit & { duplex?: 'half' }) {
    const response = await this.open(path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  post(path: string, body: Uint8Array | string, headers: Record<string, string> = {}) {
    return this.fetch(path, { method: 'POST', body: body as string, headers });
  }

  signal(signal: NodeJS.Signals) {
    this.child.kill(signal);
  }

  stop() {
    this.child.kill('SIGKILL');
    return this.exited;
  }

  /** Ends it as an operator does, and returns its lines about uploads. */
  async end() {
    this.child.kill('SIGTERM');
    await this.exited;
    return this.lines().filter(({ method }) => method !== undefined);
  }
}

/** Sends text on a connection of its own, and returns all that comes until `isEnough`, or the end of the connection. */
export async function exchange(port: number, text: string, isEnough: (received: string) => boolean) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece: Buffer) => (received += piece.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(text, 'latin1');
  await until(() => socket.closed || isEnough(received));
  socket.destroy();
  return received;
}

const BOUNDARY = 'limit';
export const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** A form of parts, each with its head and content. */
export const form = (...parts: readonly (readonly [head: string, content: string | Uint8Array])[]) =>
  Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
      Buffer.from(content as Uint8Array),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

export const FILE = 'Content-Disposition: form-data; name="f"; filename="a.jpg"\r\nContent-Type: image/jpeg';
export const TEXT = 'Content-Disposition: form-data; name="t"';
