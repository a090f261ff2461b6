/** A wire to a server that can be cut, and mended again: for the outages of stores. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private isSilent = false;
  port = 0;

  constructor(
    private readonly host: string,
    private readonly targetPort: number,
  ) {}

  /** Opens the wire; after a cut, on the same port. */
  async open(): Promise<void> {
    this.isSilent = false;
    const server = createServer((near) => {
      const far = connect(this.targetPort, this.host);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ]) {
        this.sockets.add(from);
        from.on('data', (piece) => {
          if (!this.isSilent) to.write(piece);
        });
        from.on('error', () => undefined);
        from.on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Everything that is connected breaks off, and nothing connects any more. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Connections stay, and nothing comes through: a server that hangs. */
  silence(): void {
    this.isSilent = true;
  }
}

/** A wire to the server in this address, and the address through the wire. */
export async function proxied(address: string): Promise<{ wire: TcpProxy; url: string }> {
  const url = new URL(address);
  const wire = new TcpProxy(url.hostname, Number(url.port));
  await wire.open();
  url.hostname = '127.0.0.1';
  url.port = String(wire.port);
  return { wire, url: url.toString() };
}
