/** A web server on 127.0.0.1 that images are fetched from; a test decides what it answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class ImageServer {
  readonly requests: IncomingMessage[] = [];
  answer: (req: IncomingMessage, res: ServerResponse) => void = (_, res) => res.writeHead(404).end();
  private readonly server: Server = createServer((req, res) => {
    this.requests.push(req);
    this.answer(req, res);
  });

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Forgets the requests, and answers each with the image from now on. */
  reset(image: Buffer): void {
    this.requests.length = 0;
    this.answer = (_, res) => res.end(image);
  }

  stop(): void {
    this.server.close().closeAllConnections();
  }
}
