/** A TCP proxy whose connections can be cut and restored, to simulate outages in tests and benchmarks. */
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

  /** The address of the server through the proxy, once it listens. */
  get url() {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.toString();
  }

  /** Starts the proxy; after a cut or a hang, on the same port. */
  async open() {
    this.#isSilent = false;
    // Data sent during the hang is lost, so such connections are closed.
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

  /** Closes all connections and refuses new ones. */
  async cut() {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#breakOff();
    await closed;
  }

  /** Keeps connections but transfers nothing, like a server that hangs. */
  silence() {
    this.#isSilent = true;
  }

  #breakOff() {
    for (const socket of this.#sockets) socket.destroy();
  }

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
