/** A wire to a server that can be cut, and mended again: for the outages of stores, in tests and benchmarks. */
const { connect, createServer } = require('node:net');

class TcpProxy {
  /** @type {Set<import('node:net').Socket>} */
  #sockets = new Set();
  /** @type {import('node:net').Server | undefined} */
  #server;
  #isSilent = false;
  #port = 0;
  /** @type {URL} */
  #target;

  /** @param {string} address of the server, as a URL with a port */
  constructor(address) {
    this.#target = new URL(address);
  }

  /** The address of the server through the wire, once that is open. */
  get url() {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.toString();
  }

  /** Opens the wire; after a cut or a silence, on the same port. */
  async open() {
    this.#isSilent = false;
    // What was said into the silence is lost: such connections are of no use to anybody.
    this.#breakOff();
    if (this.#server?.listening) return;
    const server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname);
      this.#carry(near, far);
      this.#carry(far, near);
    });
    await new Promise((resolve) => server.listen(this.#port, '127.0.0.1', () => resolve(undefined)));
    const address = server.address();
    if (address && typeof address === 'object') this.#port = address.port;
    this.#server = server;
  }

  /** Everything that is connected breaks off, and nothing connects any more. */
  async cut() {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#breakOff();
    await closed;
  }

  /** Connections stay, and nothing comes through: a server that hangs. */
  silence() {
    this.#isSilent = true;
  }

  #breakOff() {
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * @param {import('node:net').Socket} from
   * @param {import('node:net').Socket} to
   */
  #carry(from, to) {
    this.#sockets.add(from);
    from.on('data', (piece) => {
      if (!this.#isSilent) to.write(piece);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}

module.exports = { TcpProxy };
