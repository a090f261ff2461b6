/** Starts the built service as a separate process and connects to it over real sockets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAnswer, replayAgainstDocument } from './replay';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const START_TIMEOUT_MS = 90_000;

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** The log so far, one object per line. */
  logs(): Record<string, unknown>[];
  /** Creates an account with a new address each time. */
  signUp(): Promise<{ accountId: string; keyId: string; apiKey: string }>;
  /** Sends an image like most clients do. */
  compress(image: Uint8Array, apiKey: string, headers?: Record<string, string>): Promise<Response>;
  /** The metrics: values by name and labels. */
  metrics(): Promise<Record<string, number>>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'ics-test-'));
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      RATE_LIMIT_PER_MINUTE: '100000',
      SIGNUP_LIMIT_PER_HOUR: '0',
      METRICS_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const logs = () =>
    output
      .slice(0, output.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No start: ${errors}`)), START_TIMEOUT_MS);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`Exit ${code}: ${errors}`));
    });
    child.stdout.on('data', function look() {
      const line = logs().find(({ message }) => message === 'listening');
      if (!line) return;
      child.stdout.off('data', look);
      clearTimeout(timer);
      resolve(String(line['url']));
    });
  });
  let accounts = 0;
  const port = Number(new URL(url).port);
  await replayAgainstDocument(port);
  return {
    url,
    port,
    process: child,
    logs,
    async signUp() {
      const response = await fetch(`${url}/api/v1/accounts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: `person${++accounts}@example.com` }),
      });
      if (response.status !== 201) throw new Error(await response.text());
      return (await response.json()) as { accountId: string; keyId: string; apiKey: string };
    },
    compress(image, apiKey, headers = {}) {
      return fetch(`${url}/api/v1/compress`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, ...headers },
        body: formWith(image),
      });
    },
    async metrics() {
      const { port } = logs().find(({ message }) => message === 'metrics') as { port: number };
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
      return Object.fromEntries(
        lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
      );
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** A multipart form with one file. */
export function formWith(image: Uint8Array, field = 'image', fileName = 'photo.jpg'): FormData {
  const form = new FormData();
  form.append(field, new Blob([image]), fileName);
  return form;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A raw socket, for requests that no well-behaved client sends. */
export class RawClient {
  readonly socket: Socket;
  private received = Buffer.alloc(0);
  private requestLine = '';
  readonly closed: Promise<void>;

  constructor(private readonly port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (piece: Buffer) => (this.received = Buffer.concat([this.received, piece])));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  write(bytes: string | Uint8Array): void {
    this.requestLine ||= Buffer.from(bytes).toString('latin1').split('\r\n')[0];
    this.socket.write(bytes);
  }

  /** The first response, without interim ones. */
  async answer(timeoutMs = 120_000): Promise<RawAnswer> {
    const end = Date.now() + timeoutMs;
    while (Date.now() < end) {
      const text = this.received.toString('latin1').replace(/^HTTP\/1\.1 1\d\d[^\r]*\r\n\r\n/, '');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd > 0) {
        const [statusLine, ...lines] = text.slice(0, headEnd).split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 2),
          ]),
        );
        const body = text.slice(headEnd + 4);
        if (body.length >= Number(headers['content-length'] ?? 0)) {
          const status = Number(statusLine.split(' ')[1]);
          const [method, target = ''] = this.requestLine.split(' ');
          const [path] = target.split('?');
          checkAnswer(this.port, { method, path, status, headers, body: Buffer.from(body, 'latin1') });
          return { status, headers, body };
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(
      `No answer within ${timeoutMs} ms; received: ${this.received.toString('latin1').slice(0, 200)}`,
    );
  }

  close(): void {
    this.socket.destroy();
  }
}

/** The head of a multipart file part, and the end of the body. */
export const BOUNDARY = 'test-boundary-7d93';
export const partHead = (field = 'image', fileName = 'a.jpg') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\nContent-Type: image/jpeg\r\n\r\n`;
export const formEnd = `\r\n--${BOUNDARY}--\r\n`;
export const requestHead = (apiKey: string, headers: Record<string, string | number>) =>
  [
    'POST /api/v1/compress HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${apiKey}`,
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
