/** The operator's account: created at the first start that a person reads, and at no other. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PROJECT, temporaryFile } from '../support/folders';
import { runOnAccounts } from '../support/command-line';
import { photoJpeg } from '../support/images';
import { expectHead } from '../support/responses';
import { callsOf, startService } from '../support/service';
import { isAvailable, postgresUrl, withFreshDatabase } from '../support/services';

const MAIN = PROJECT.path('dist/main.js');

type Start = Awaited<ReturnType<typeof startOnTerminal>>;

/** Starts the service in a pseudo-terminal, as `npm start` does in a person's. */
async function startOnTerminal(env: Record<string, string>, redirection = '') {
  const command = `exec ${process.execPath} ${MAIN}${redirection}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], PORT: '0', WORKERS: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ends = redirection.includes('2>') ? ['workers'] : ['smaller.jpg', 'workers'];
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString().replaceAll('\r', '');
      if (ends.every((end) => text.includes(end))) resolve();
    });
    child.once('exit', () => reject(new Error(`The service has exited: ${text}`)));
  });
  return {
    text,
    url: String(/http:\/\/localhost:\d+/.exec(text)?.[0]).replace('localhost', '127.0.0.1'),
    stop: () => {
      const exited = once(child, 'exit');
      child.stdin.write('\x03');
      return exited;
    },
  };
}

const hostOf = ({ text }: Start) => /"host":"([^"]+)"| host=(\S+)/.exec(text)?.slice(1).join('');

const { stdout: version } = spawnSync('sh', ['-c', 'script --version'], { encoding: 'utf8' });
const hasScript = isAvailable(version.includes('util-linux'), 'script of util-linux');
const onTerminal = hasScript ? it : it.skip;
const describeOnTerminal = hasScript ? describe : describe.skip;

const emptyDatabase = () => `sqlite:${temporaryFile('service.db')}`;

const commandLine = (databaseUrl: string, command: string) => runOnAccounts(databaseUrl, command).stdout;

describeOnTerminal('a first start on a terminal', () => {
  const env = { DATABASE_URL: emptyDatabase(), SIGNUP: 'closed' };
  let first: Start;
  let key: string;
  let port: string;
  beforeAll(async () => {
    first = await startOnTerminal(env);
    [key = ''] = /ics_\w+/.exec(first.text) ?? [];
    ({ port } = new URL(first.url));
  });
  afterAll(() => first.stop());

  it('says that it has created an account, and how to use its key', () => {
    expect(first.text).toContain('created an account for you: operator@localhost.');
    expect(first.text).toContain(`\n  http://localhost:${port}/#key=${key}\n`);
    expect(first.text).toContain(`\n  KEY=${key}\n  curl `);
  });

  it('prints a key that works, without a limit per minute', async () => {
    const calls = callsOf(first.url);
    const response = await calls.compress(await photoJpeg(64, 64), key);
    expectHead(response, { status: 200, 'ratelimit-policy': null });
    const account = await calls.api('account', { apiKey: key });
    expect(await account.json()).toMatchObject({ imagesPerMinute: null });
  });

  it('listens on this machine only', () => {
    expect(first.text).toMatch(
      /^\d\d:\d\d:\d\d info listening url=http:\/\/\S+ host=127\.0\.0\.1 workers=1$/m,
    );
  });

  it('keeps the key out of the log', () => {
    const log = first.text.split('\n').filter((line) => /^\d\d:\d\d:\d\d /.test(line));
    expect(log).not.toEqual([]);
    expect(log.join('\n')).not.toContain('ics_');
  });

  it('creates no account if the port is taken, because nobody would see its key', async () => {
    const onTakenPort = { DATABASE_URL: emptyDatabase(), PORT: port };
    await expect(startOnTerminal(onTakenPort)).rejects.toThrow('already in use');
    expect(commandLine(onTakenPort.DATABASE_URL, 'account list')).toBe('');
  });
});

describeOnTerminal('after a first start', () => {
  const env = { DATABASE_URL: emptyDatabase(), SIGNUP: 'closed' };
  beforeAll(async () => {
    const first = await startOnTerminal(env);
    await first.stop();
  });

  it('later starts print no key but the command that creates one, and stay on this machine', async () => {
    const second = await startOnTerminal(env);
    expect(second.text).not.toMatch(/ics_|sign|account create/i);
    const command = `DATABASE_URL=${env.DATABASE_URL} npm run -s cli -- key create operator@localhost`;
    expect(second.text).toContain(`\nYour account is operator@localhost. Create a key:\n\n  ${command}\n`);
    expect(hostOf(second)).toBe('127.0.0.1');
    await second.stop();
  });

  it('HOST opens the service to others', async () => {
    const open = await startOnTerminal({ ...env, HOST: '0.0.0.0' });
    expect(hostOf(open)).toBe('0.0.0.0');
    await open.stop();
  });

  it('the command line creates further keys of the account', () => {
    expect(commandLine(env.DATABASE_URL, 'key create operator@localhost')).toContain('API key  ics_');
  });
});

onTerminal.each([
  ['an account', {}, '', 'you@example.com'],
  ['NODE_ENV=production', { NODE_ENV: 'production' }, '', undefined],
  ['a log in a pipe', {}, ' | cat', undefined],
  ['errors in a pipe', {}, ' 2> >(cat)', undefined],
] as const)('a start on a terminal with %s creates no account', async (_, env, redirection, email) => {
  const DATABASE_URL = emptyDatabase();
  if (email !== undefined) commandLine(DATABASE_URL, `account create --email ${email}`);
  const start = await startOnTerminal({ ...env, DATABASE_URL, SHELL: '/bin/bash' }, redirection);
  expect(start.text).not.toContain('ics_');
  expect(hostOf(start)).toBe('0.0.0.0');
  await start.stop();
  expect(commandLine(DATABASE_URL, 'account list')).not.toContain('operator@localhost');
});

const server = postgresUrl();
(server !== undefined && hasScript ? it : it.skip)('a start with PostgreSQL creates no account', () =>
  withFreshDatabase(server ?? '', async (url) => {
    const start = await startOnTerminal({ DATABASE_URL: url });
    expect(start.text).not.toContain('ics_');
    await start.stop();
  }),
);

it('a start without a terminal creates no account', async () => {
  const DATABASE_URL = emptyDatabase();
  const service = await startService({ DATABASE_URL });
  expect(commandLine(DATABASE_URL, 'account list')).toBe('');
  await service.stop();
});
