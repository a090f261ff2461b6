/** Programs that some tests need. If one is missing, they are skipped; in CI they fail. */
import { spawnSync } from 'node:child_process';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

export const root = join(__dirname, '..', '..');
export const config = join(root, 'config');

export function hasPrograms(...programs: string[]): boolean {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length === 0) return true;
  const message = `not installed: ${missing.join(', ')}`;
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message);
  console.warn(`SKIPPED: ${message}.`);
  return false;
}

export function run(program: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  return { status, output: stdout + stderr };
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports = await Promise.all(
    servers.map(async (server) => {
      if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
      return (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Sends bytes, and resolves with all received data when the connection is closed or after a second. */
export function rawRequest(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request)).on('error', () => undefined);
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (piece: Buffer) => (received += piece.toString()));
    socket.on('close', () => resolve(received));
  });
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(50);
  }
  throw new Error(`Nobody listens on ${port}`);
}

/** Begins a request whose body never arrives. The socket is destroyed when a response ends the request all the same. */
export function unfinishedSignUp(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.on('data', () => socket.destroy());
  const head =
    'POST /api/v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9';
  socket.write(`${head}\r\n\r\n{`);
  return socket;
}
