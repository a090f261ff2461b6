/** Programs and ports that the tests of the deployment start. */
import { connect, createServer } from 'node:net';
import { eventually } from '../support/eventually';
import { Folder, PROJECT } from '../support/folders';
import { portOf } from '../support/listening';

export const config = new Folder(PROJECT.path('config'));

export function run(program: string, ...args: string[]) {
  const { status, stdout, stderr, error } = PROJECT.program(program, args);
  if (error) throw error;
  return { status, output: stdout + stderr };
}

export async function freePorts(count: number) {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map(portOf));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export const untilListening = (port: number) =>
  eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => resolve());
        socket.on('error', reject).on('connect', () => socket.destroy());
      }),
  );

/** Begins a request whose body never arrives. The socket is destroyed when a response ends the request all the same. */
export function unfinishedSignUp(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.on('data', () => socket.destroy());
  const head =
    'POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9';
  socket.write(`${head}\r\n\r\n{`);
  return socket;
}
