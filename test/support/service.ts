/** Starts the built service as a separate process and connects to it over real sockets. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './eventually';
import { ROOT, temporaryFolder } from './folders';
import { replayAgainstDocument } from './replay';

export { exchange, RawClient } from './raw-client';

const MAIN = join(ROOT, 'dist', 'main.js');
const START_TIMEOUT_MS = 150_000;

type Headers = Record<string, string>;

interface ApiRequest {
  readonly method?: string;
  readonly apiKey?: string;
  readonly headers?: Headers;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal;
  readonly json?: unknown;
}

export interface WithKey {
  readonly apiKey: string;
  /** Compresses an image with this key. */
  readonly send: (image: Uint8Array, query?: string, headers?: Headers) => Promise<Response>;
}

export interface Account extends WithKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly email: string;
}

export interface Calls {
  readonly url: string;
  /** Creates an account with a new address each time. */
  signUp(): Promise<Account>;
  /** Creates another key of an account. */
  addKey(apiKey: string): Promise<WithKey & { keyId: string }>;
  openTrial(): Promise<WithKey & { accountId: string; images: number; expiresAt: string }>;
  compress(image: Uint8Array, apiKey: string, headers?: Headers, query?: string): Promise<Response>;
  /** Requests a path below /api/v1; with a body or JSON it is a POST. */
  api(path: string, request?: ApiRequest): Promise<Response>;
}

export interface ServiceClient extends Calls {
  readonly port: number;
  readonly metricsPort: number;
  /** The log so far, one object per line. */
  logs(): Record<string, unknown>[];
  metrics(): Promise<Record<string, number>>;
  /** One of them, without the prefix of all: `workers_busy`. */
  metric(name: string): Promise<number>;
  untilMetric(name: string, value: number): Promise<void>;
}

export interface Service extends ServiceClient {
  readonly process: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a service for one test; most tests share one, see shared-service.ts. @param main script of another copy */
export async function startService(env: Record<string, string> = {}, main = MAIN): Promise<Service> {
  const folder = temporaryFolder();
  const child = spawnService(folder, ['ignore', 'pipe', 'pipe'], env, main);
  let output = '';
  let errors = '';
  child.stdout?.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (errors += piece.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const logs = () => linesOf(output);

  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No start: ${errors}`)), START_TIMEOUT_MS);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`Exit ${code}: ${errors}`));
    });
    child.stdout?.on('data', function look() {
      if (!logs().some(isListening)) return;
      child.stdout?.off('data', look);
      clearTimeout(timer);
      resolve();
    });
  });
  return {
    ...(await clientOf(logs(), logs)),
    process: child,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** A service for the tests of the enclosing block. Its members are there when they run. */
export function ownService(env?: Record<string, string>): Service {
  const service = filledBefore(() => startService(env));
  afterAll(() => service.stop());
  return service;
}

/** The same, with an account. */
export function ownServiceWithKey(env?: Record<string, string>): Service & Account {
  const service = filledBefore(() => startService(env).then(withKey));
  afterAll(() => service.stop());
  return service;
}

/** Returns an object that gets its members before the tests of the enclosing block run. */
export function filledBefore<T extends object>(make: () => Promise<T>) {
  const filled = {} as T;
  beforeAll(async () => Object.assign(filled, await make()));
  return filled;
}

export async function withKey<Client extends ServiceClient>(client: Client): Promise<Client & Account> {
  return { ...client, ...(await client.signUp()) };
}

export function spawnService(
  folder: string,
  stdio: StdioOptions,
  env: Record<string, string> = {},
  main = MAIN,
) {
  return spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      RATE_LIMIT_PER_MINUTE: '100000',
      SIGNUP_LIMIT_PER_HOUR: '0',
      METRICS_PORT: '0',
      DEADLINE_MS: '150000',
      // The start of a worker costs more than most images of the tests.
      WORKERS: '1',
      ...env,
    },
    stdio,
  });
}

export function linesOf(output: string) {
  return output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export const isListening = ({ message }: Record<string, unknown>) => message === 'listening';

/** A client of a running service; its responses are checked against its document. @param start its first log lines */
export async function clientOf(
  start: Record<string, unknown>[],
  logs: ServiceClient['logs'],
): Promise<ServiceClient> {
  const url = String(start.find(isListening)?.['url']);
  const metricsPort = Number(start.find(({ message }) => message === 'metrics')?.['port']);
  const port = Number(new URL(url).port);
  await replayAgainstDocument(port);
  const metrics = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
  const metric = async (name: string) => (await metrics())[`ics_${name}`];
  return {
    ...callsOf(url),
    port,
    metricsPort,
    logs,
    metrics,
    metric,
    untilMetric: (name, value) => until(async () => (await metric(name)) === value),
  };
}

export function callsOf(url: string): Calls {
  const api: Calls['api'] = (path, { apiKey, json, headers, body, method, signal } = {}) =>
    fetch(`${url}/api/v1/${path}`, {
      method: method ?? (body === undefined && json === undefined ? 'GET' : 'POST'),
      headers: {
        ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      signal: signal ?? null,
    });
  const compress: Calls['compress'] = (image, apiKey, headers = {}, query = '') =>
    api(`compress${query}`, {
      headers: { Authorization: `Bearer ${apiKey}`, ...headers },
      body: formWith(image),
    });
  const created = async <Issued extends WithKey>(path: string, request: ApiRequest) => {
    const response = await api(path, request);
    if (response.status !== 201) throw new Error(await response.text());
    const issued = (await response.json()) as Issued;
    const send: WithKey['send'] = (image, query, headers) => compress(image, issued.apiKey, headers, query);
    return { ...issued, send };
  };
  return {
    api,
    url,
    compress,
    async signUp() {
      const email = `person-${randomUUID()}@example.com`;
      return { ...(await created<Account>('accounts', { json: { email } })), email };
    },
    addKey: (apiKey) => created('account/keys', { method: 'POST', apiKey }),
    openTrial: () => created('trials', { method: 'POST' }),
  };
}

export const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

export function formWith(image: Uint8Array, field = 'image', fileName = 'photo.jpg'): FormData {
  const form = new FormData();
  form.append(field, new Blob([image]), fileName);
  return form;
}

/** The head of a multipart file part, and the end of the body. */
export const BOUNDARY = 'test-boundary-7d93';
export const partHead = (field = 'image', fileName = 'a.jpg') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\nContent-Type: image/jpeg\r\n\r\n`;
export const asChunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
export const formEnd = `\r\n--${BOUNDARY}--\r\n`;
export const formBody = (image: Uint8Array, head = partHead()) =>
  Buffer.concat([Buffer.from(head), image, Buffer.from(formEnd)]);
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
