/** A raw socket, for requests that no well-behaved client sends. */
import { connect, type Socket } from 'node:net';
import { checkAnswer } from './replay';

const PIECE_BYTES = 64 * 1024;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export class RawClient {
  readonly socket: Socket;
  private received = Buffer.alloc(0);
  private requestLine = '';
  readonly closed: Promise<void>;

  /** @param allowHalfOpen goes on sending after the service has said that it sends no more */
  constructor(
    private readonly port: number,
    { allowHalfOpen = false } = {},
  ) {
    // A connection that a test leaves open to the shared service must not keep the Jest worker from ending.
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen }).unref();
    this.socket.on('data', (piece: Buffer) => (this.received = Buffer.concat([this.received, piece])));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  static sending(port: number, ...pieces: readonly (string | Uint8Array)[]) {
    const client = new RawClient(port);
    for (const piece of pieces) client.write(piece);
    return client;
  }

  /** All that has been received, in Latin-1. */
  get text(): string {
    return this.received.toString('latin1');
  }

  /** The status of each response so far, interim ones included. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  write(bytes: string | Uint8Array) {
    this.requestLine ||= Buffer.from(bytes).toString('latin1').split('\r\n')[0];
    this.socket.write(bytes);
  }

  /** The first response, without interim ones. @throws when the connection has ended without one */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const text = this.text.replace(/^HTTP\/1\.1 1\d\d[^\r]*\r\n\r\n/, '');
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
      if (this.socket.closed) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`No answer before the end; received: ${this.text.slice(0, 200)}`);
  }

  async sendUntilClosed(bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      if (await new Promise((resolve) => this.socket.write(piece, resolve))) return at;
    }
    return bytes.length;
  }

  close() {
    this.socket.destroy();
  }
}

/** Sends bytes on a connection of their own, and returns the response. */
export async function exchange(port: number, ...pieces: readonly (string | Uint8Array)[]) {
  const client = RawClient.sending(port, ...pieces);
  return client.answer().finally(() => client.close());
}
