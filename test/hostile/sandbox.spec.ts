/** Danger: a decoder that a file has taken over reads the database, the secrets, other processes or the network. */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { png } from '../support/drawn-pngs';
import { startService, type Service } from '../support/service';
import { hasBubblewrap } from '../support/sandboxes';
import { probingPackage } from '../support/probing-package';

const folder = temporaryFolder();
const secret = join(folder, 'code');
const database = join(folder, 'service.db');
const databaseSocket = join(folder, 'database.sock');
const abstractSocket = `ics-probed-${process.pid}`;
const FORMAT_MODULES = probingPackage(folder);
const NETWORK = [
  'connect to the service on 127.0.0.1',
  'connect to the database on 127.0.0.1',
  'connect to the socket of a database',
  'connect to an abstract socket',
  'send a datagram',
];

function makeSharedMemory() {
  const { stdout } = spawnSync('ipcmk', ['--shmem', '4096'], { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout)?.[0]);
}
const sharedMemory = makeSharedMemory();

interface Probes {
  readonly attempts: readonly string[];
  readonly succeeded: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** What succeeded, by the protection of the workers. */
const results = new Map<string, Probes>();
const databases: Server[] = [];
const receiver = createSocket('udp4');
let datagrams = 0;

beforeAll(async () => {
  writeFileSync(secret, 'secret');
  const paths = [databaseSocket, `\0${abstractSocket}`].map((path) => ({ path }));
  for (const address of [{ host: '127.0.0.1', port: 0 }, ...paths]) {
    const server = createServer((socket) => socket.on('error', () => undefined).end());
    await new Promise<void>((resolve) => server.listen(address, resolve));
    databases.push(server);
  }
  receiver.on('message', () => datagrams++);
  await new Promise<void>((resolve) => receiver.bind(0, '127.0.0.1', resolve));
});
afterAll(() => {
  for (const server of databases) server.close();
  receiver.close();
  spawnSync('ipcrm', ['--shmem-id', String(sharedMemory)]);
  const columns = [...results];
  const lines = columns[0][1].attempts.map((name) => [
    name,
    ...columns.map(
      ([protection, { succeeded }]) => `${protection}: ${succeeded.includes(name) ? 'yes' : 'no'}`,
    ),
  ]);
  console.info(lines.map((line) => line.join(', ')).join('\n'));
});

function imageOf(targets: object): Uint8Array {
  const text = JSON.stringify(targets).padEnd(64 * 64 * 3);
  return png(64, 64, (x, y) => [...[0, 1, 2].map((i) => text.charCodeAt((y * 64 + x) * 3 + i)), 255]);
}

async function probe(service: Service): Promise<Probes> {
  const image = imageOf({
    pid: service.process.pid,
    port: service.port,
    databasePort: (databases[0].address() as AddressInfo).port,
    databaseSocket,
    abstractSocket,
    sharedMemory,
    datagramPort: receiver.address().port,
    database,
    secret,
    home: homedir(),
  });
  datagrams = 0;
  const { apiKey } = await service.signUp();
  const response = await service.compress(image, apiKey, {}, '?format=probe&quality=lossless');
  expect(response.status).toBe(200);
  const probes = (await response.json()) as Probes;
  return { ...probes, succeeded: [...(datagrams > 0 ? ['send a datagram'] : []), ...probes.succeeded] };
}

async function attack(env: Record<string, string>) {
  const service = await startService({ FORMAT_MODULES, DATABASE_URL: `sqlite:${database}`, ...env });
  try {
    const probes = await probe(service);
    const ready = (await (await fetch(`${service.url}/health/ready`)).json()) as Readiness;
    const [metric] = Object.entries(await service.metrics()).flatMap(([name, value]) =>
      name.startsWith('ics_worker_sandbox') && value === 1 ? [name] : [],
    );
    const { protection, message } = service.logs().find((line) => 'protection' in line) ?? {};
    results.set(ready.details.compression.sandbox, probes);
    return { ...probes, health: ready.details.compression.sandbox, metric, protection, message };
  } finally {
    await service.stop();
  }
}

interface Readiness {
  readonly details: { readonly compression: { readonly sandbox: string } };
}

const RULE = '--landlock-access fs --landlock-rule path-beneath:execute,read-file,read-dir:/';
const setpriv = spawnSync('setpriv', [...RULE.split(' '), 'true']);

function pathWith(...programs: string[]) {
  const path = temporaryFolder();
  for (const program of programs) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(path, program));
  }
  return path;
}

it('without a sandbox, most attempts succeed', async () => {
  const { succeeded, ...said } = await attack({ WORKER_SANDBOX: 'off' });
  // Some depend on the user and on kernel.yama.ptrace_scope.
  expect(succeeded).toEqual(
    expect.arrayContaining([
      ...NETWORK,
      'read the database',
      'read /etc/passwd',
      'read the file of a secret',
      'see other processes',
      'write outside of tmp',
      'start a program',
      'start a program of its own',
      'load native code of its own',
      'signal the service',
      'change the mode or the times of the database',
      'watch the database',
      'read files through another process',
      'hold a program in memory',
      'make a process',
      'read the limits of the service',
      'change the priority of the service',
      'attach the shared memory of another process',
      'fill tmp',
    ]),
  );
  expect(said).toMatchObject({
    health: 'none',
    metric: 'ics_worker_sandbox{protection="none"}',
    protection: 'none',
    message: 'Workers are not sandboxed: it is switched off.',
  });
});

(hasBubblewrap ? it : it.skip)('with bubblewrap, none succeeds', async () => {
  const { succeeded, environment, ...said } = await attack({ WORKER_SANDBOX: 'required' });
  expect(succeeded).toEqual([]);
  expect(environment).not.toHaveProperty('PATH');
  expect(said).toMatchObject({
    health: 'bubblewrap',
    metric: 'ics_worker_sandbox{protection="bubblewrap"}',
    protection: 'bubblewrap',
    message: expect.stringMatching(/^Workers are sandboxed by bubblewrap/) as string,
  });
});

(setpriv.status === 0 ? it : it.skip)('with Landlock, none succeeds', async () => {
  const { succeeded, ...said } = await attack({ PATH: pathWith('setpriv') });
  expect(succeeded).toEqual([]);
  expect(said).toMatchObject({
    health: 'landlock',
    protection: 'landlock',
    message: expect.stringMatching(/^Workers are confined by Landlock \(/) as string,
  });
});

it('where no sandbox works, auto starts and says why; required does not start', async () => {
  const PATH = pathWith('node');
  const { message } = await attack({ PATH });
  expect(message).toMatch(
    /^Workers are not sandboxed, nor is the code of .+ \(.*bubblewrap: .*; landlock: .*\)\.$/,
  );
  await expect(startService({ PATH, WORKER_SANDBOX: 'required' })).rejects.toThrow(
    /The service cannot start\. The required sandbox of the workers does not work here: .*bubblewrap/,
  );
});
