import { NO_SANDBOX } from '../../../../../src/compression/infrastructure/sandbox/sandbox';
import { spawnWorker } from '../../../../../src/compression/infrastructure/process/spawn-worker';

/** Prints its environment. */
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
  const others = Object.keys(environment).filter((name) => !/^(MALLOC|LD|DYLD|UV)_/.test(name));
  expect(
    others.filter((name) => !/^(PATH|NODE_OPTIONS|TZ|SystemRoot|TEMP|TMP|TMPDIR|__CF.*)$/.test(name)),
  ).toEqual([]);
});
