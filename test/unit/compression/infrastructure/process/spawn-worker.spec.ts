import { spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../support/folders';
import { onLinux } from '../../../../support/on-linux';
import { NO_SANDBOX } from '../../../../../src/compression/infrastructure/sandbox/sandbox';
import { spawnWorker } from '../../../../../src/compression/infrastructure/process/spawn-worker';

const PROGRAM = `require('node:fs').writeSync(3, JSON.stringify(process.env) + '\\n')`;

it('a worker gets none of the secrets of the service, and one heap', async () => {
  const secrets = ['DATABASE_URL', 'DATABASE_URL_FILE', 'REDIS_URL', 'SIGNUP_CODE', 'AWS_SECRET_ACCESS_KEY'];
  const before = process.env;
  process.env = { ...before, ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) };
  const { process: child, messages } = spawnWorker(['-e', PROGRAM], NO_SANDBOX);
  process.env = before;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  for await (const piece of messages) text += String(piece);
  await ended;
  expect(text).not.toContain('secret');
  const environment = JSON.parse(text) as Record<string, string>;
  expect(environment).toMatchObject({ MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '2' });
  const others = Object.keys(environment).filter((name) => !/^(MALLOC|LD|DYLD|UV|VIPS)_/.test(name));
  expect(
    others.filter((name) => !/^(PATH|NODE_OPTIONS|TZ|SystemRoot|TEMP|TMP|TMPDIR|__CF.*)$/.test(name)),
  ).toEqual([]);
});

onLinux('a worker inherits no file that the service inherited', () => {
  const folder = temporaryFolder();
  const [lock, log, found] = ['lock', 'log', 'found'].map((name) => join(folder, name));
  const modules = join(__dirname, ...['..', '..', '..', '..', '..', 'dist', 'compression', 'infrastructure']);
  const look = `const fs = require('node:fs');
    const files = fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch {} });
    fs.writeFileSync(${JSON.stringify(found)}, JSON.stringify(files))`;
  const service = `const { spawnWorker } = require('./process/spawn-worker.js');
    const { NO_SANDBOX } = require('./sandbox/sandbox.js');
    spawnWorker(['-e', ${JSON.stringify(look)}], NO_SANDBOX)`;
  const [logFd, lockFd] = [openSync(log, 'w'), openSync(lock, 'w')];
  const stdio = Array.from({ length: 41 }, (_, fd) =>
    fd === 2 ? logFd : fd === 40 ? lockFd : ('ignore' as const),
  );
  expect(spawnSync(process.execPath, ['-e', service], { cwd: modules, stdio }).status).toBe(0);
  const files = JSON.parse(readFileSync(found, 'utf8')) as string[];
  expect(files.filter((file) => file === lock || file === log)).toEqual([]);
});
