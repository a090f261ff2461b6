/** Runs the container file's commands as the same user in a root file system that is read-only except for /data. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { validate } from 'dockerfile-utils';
import sharp from 'sharp';
import { PROJECT, temporaryFolder } from '../support/folders';
import { childrenOf } from '../support/process-memory.cjs';
import { callsOf } from '../support/service';
import {
  command,
  containerfileText,
  entrypoint,
  environment,
  healthCheck,
  runs,
  user,
  volume,
} from './containerfile';
import { hasPrograms, isAvailable } from '../support/services';
import { freePorts, run } from './tools';
import { expectHead } from '../support/responses';

it('the container file passes the linter', () => {
  expect(validate(containerfileText)).toEqual([]);
  expect(validate(containerfileText.replace('USER ', 'USR '))).not.toEqual([]);
});

it('the user is a number other than 0', () => {
  expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

const canIsolate =
  isAvailable(
    process.getuid?.() === 0 && run('unshare', '--mount', '--pid', '--fork', 'true').status === 0,
    'root on Linux',
  ) && hasPrograms('tini', 'nsenter', 'chroot');

(canIsolate ? describe : describe.skip)('started as the container file says', () => {
  const folder = temporaryFolder();
  let child: ChildProcess;
  let pid: number;
  let port: number;
  let url: string;

  beforeAll(async () => {
    buildAsTheContainerFileDoes(join(folder, 'app'));
    [port] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    child = startIsolated(folder, [...entrypoint, ...command], { ...environment, PORT: String(port) });
    await listening(child);
    [pid] = childrenOf(child.pid!);
  });

  afterAll(() => tryToKill(pid));

  it('it has the production dependencies and no others', () => {
    expect(existsSync(join(folder, 'app', 'node_modules', 'sharp'))).toBe(true);
    for (const name of ['typescript', 'vite', 'jest'])
      expect(existsSync(join(folder, 'app', 'node_modules', name))).toBe(false);
  });

  it('it compresses with a file system that is read-only except for the database', async () => {
    const { send } = await callsOf(url).signUp();
    // Rotated, and large enough that codecs could use temporary files (100 MB of pixels).
    const photo = await sharp({ create: { width: 7000, height: 5200, channels: 3, background: 'teal' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const answer = await send(photo);
    await answer.arrayBuffer();
    expectHead(answer, { status: 200, 'x-dimensions': '2853x3840' });
    expect(inside(pid, ['touch', join(volume, 'x')]).status).toBe(0);
    for (const place of ['/app', '/tmp', '/etc', '/']) {
      expect(inside(pid, ['touch', join(place, 'x')]).status).not.toBe(0);
    }
  });

  it('no process is root, and all use jemalloc if it is installed', () => {
    const [service] = childrenOf(pid);
    const workers = childrenOf(service);
    expect(workers.length).toBeGreaterThan(0);
    const isInstalled = run('ldconfig', '-p').output.includes('libjemalloc.so.2');
    for (const each of [service, ...workers]) {
      expect(readFileSync(`/proc/${each}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      expect(readFileSync(`/proc/${each}/maps`, 'utf8').includes('libjemalloc')).toBe(isInstalled);
    }
  });

  it('its health check passes while it runs, and fails without a response', () => {
    expect(inside(pid, healthCheck(), { ...environment, PORT: String(port) }).status).toBe(0);
    expect(inside(pid, healthCheck(), { ...environment, PORT: '1' }).status).toBe(1);
  });

  it('SIGTERM to its first process ends it with exit code 0', async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    process.kill(pid, 'SIGTERM');
    expect(await exited).toBe(0);
  });
});

/** `npm test` has built the sources already; the rest is the command of the container file. */
function buildAsTheContainerFileDoes(app: string) {
  mkdirSync(app, { recursive: true });
  const packages = ['', 'server/', 'test/'].map((place) => `${place}package.json`);
  for (const part of [...packages, 'package-lock.json', 'dist'])
    cpSync(PROJECT.path(part), join(app, part), { recursive: true });
  // Hard-linked where possible: pruning removes names, not contents, except for npm's own list, which it rewrites.
  // -H: where the folder is a link, its packages are copied, not the link.
  const copy = (flags: string) => run('cp', flags, PROJECT.path('node_modules'), app).status === 0;
  if (!copy('-alH')) copy('-aH');
  const list = 'node_modules/.package-lock.json';
  rmSync(join(app, list));
  cpSync(PROJECT.path(list), join(app, list));
  const prune = /npm prune.*$/m.exec(runs[0])?.[0] ?? 'false';
  const { status, stderr } = spawnSync('sh', ['-c', prune], { cwd: app, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${prune}: ${stderr}`);
}

/** A separate mount and process namespace, whose root has the system's folders and /app, all read-only. */
function startIsolated(folder: string, words: string[], env: Record<string, string>): ChildProcess {
  const [uid, gid] = user.split(':').map(Number);
  for (const name of ['data', 'root']) mkdirSync(join(folder, name));
  chownSync(join(folder, 'data'), uid, gid);
  const script = `
    set -e
    mount --make-rprivate /
    mount -t tmpfs tmpfs root
    mkdir root/proc root/dev root/tmp root/app root/data root/node
    for place in usr etc lib lib32 lib64 libx32 bin sbin; do
      if [ -L /$place ]; then cp -P /$place root/$place
      elif [ -d /$place ]; then mkdir root/$place; mount --bind /$place root/$place; mount -o remount,bind,ro root/$place; fi
    done
    mount --bind app root/app; mount -o remount,bind,ro root/app
    mount --bind ${dirname(process.execPath)} root/node; mount -o remount,bind,ro root/node
    mount --bind data root${volume}
    mount --rbind /dev root/dev
    mount -t proc proc root/proc
    mount -o remount,ro root
    exec chroot --userspec=${user} root sh -c 'cd /app && exec "$@"' sh "$@"
  `;
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh'];
  return spawn('unshare', [...args, ...asEnvironment(env), ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function inside(pid: number, words: string[], env: Record<string, string> = {}) {
  const [uid, gid] = user.split(':');
  const target = `--target ${pid} --mount --pid --root --wd --setuid ${uid} --setgid ${gid}`.split(' ');
  return spawnSync('nsenter', [...target, ...asEnvironment(env), ...words], { encoding: 'utf8' });
}

function asEnvironment(env: Record<string, string>) {
  const path = '/node:/usr/local/bin:/usr/bin:/bin';
  return ['env', '-i', `PATH=${path}`, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exit ${code}`)));
    child.stdout?.on('data', (piece: Buffer) => {
      if (piece.toString().includes('"listening"')) resolve();
    });
  });
}

function tryToKill(pid: number) {
  try {
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited already, as expected.
  }
}
