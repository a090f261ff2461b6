import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expectEnd } from '../support/ended';
import { CLI, jsonLines, runAlone } from '../support/command-line';
import { Folder, PROJECT } from '../support/folders';
import { graphicPng } from '../support/images';

const place = new Folder();

/** Without the lines of the log. */
const wordsIn = (stderr: string) => stderr.replace(/^(\{|\d\d:\d\d:\d\d ).*\n/gm, '');

function run(command: string) {
  const ended = runAlone(command, { DATABASE_URL: `sqlite:${place.path('service.db')}` }, place);
  return { ...ended, json: () => JSON.parse(ended.stdout) as Record<string, unknown> };
}

describe('accounts and keys', () => {
  it('opens an account, adds, lists and revokes keys, suspends and resumes', () => {
    const created = run('account create --email a@example.com --json').json();
    expect(Object.keys(created)).toEqual(['accountId', 'keyId', 'apiKey']);
    const accountId = String(created['accountId']);
    const second = run('key create a@example.com --json').json();
    expect(second['accountId']).toBe(accountId);
    expect(run(`key revoke ${String(second['keyId'])}`).status).toBe(0);
    const listed = run(`key list ${accountId} --json`);
    expect(jsonLines(listed.stdout)).toEqual([
      expect.objectContaining({ keyId: created['keyId'], revokedAt: null }),
      expect.objectContaining({ revokedAt: expect.stringMatching(/^20/) as string }),
    ]);
    expect(listed.stdout).not.toContain(String(created['apiKey']));
    expect(run(`account suspend ${accountId} --json`).json()).toEqual({ accountId, status: 'suspended' });
    const resumed = run('account resume A@example.com --json').json();
    expect(resumed).toEqual({ accountId, status: 'active' });
  });

  it('shows the key to people once, in words, and says which database was written to', () => {
    const { stdout, stderr } = run('account create --email z@example.com');
    expect(stdout).toMatch(/API key {2}ics_\w{33}\n/);
    expect(wordsIn(stderr)).toBe(`Written to sqlite:${place.path('service.db')}.\n`);
  });

  it.each([
    ['account create --email nobody', 1, /not an e-mail address/],
    ['account suspend no-such', 1, /no account no-such/],
    ['key revoke no-such', 1, /no active key/],
    ['account create', 2, /--email/],
    ['fly', 2, /unknown command/],
  ])('%s ends with %i', (command, status, message) => {
    const { stderr } = expectEnd(run(command), status, message);
    expect(stderr).not.toMatch(/at .*\.js:\d/);
  });

  it('lists accounts by e-mail address, without their keys', () => {
    run('account create --email y@example.com');
    const words = run('account list');
    expect(words.stdout).toMatch(
      /^[\da-f-]{36} {2}y@example\.com {2}active {2}created 20.*, 0 B of 0 B saved$/m,
    );
    const accounts = jsonLines(run('account list --json').stdout);
    const emails = accounts.map(({ email }) => String(email));
    expect(emails).toEqual([...emails].sort());
    expect(emails).toEqual(expect.arrayContaining(['y@example.com', 'z@example.com']));
    expect(Object.keys(accounts[0])).toEqual(
      'accountId email status createdAt images bytesIn bytesSaved'.split(' '),
    );
    expect(words.stdout).not.toMatch(/ics_\w{33}/);
  });
});

describe('a database that is not there', () => {
  const start = (command: string, env: NodeJS.ProcessEnv = {}) => {
    const empty = new Folder();
    return { ...runAlone(command, env, empty), path: empty.path('own.db'), files: empty.files() };
  };
  const create = 'account create --email a@example.com';

  it.each([
    [create, /There is no database at .*data\/service\.db\. Set DATABASE_URL.*--create-database/],
    ['account list', /There is no database at .*run this in its folder\.\n/],
    ['key list a@example.com', /There is no database/],
  ])('%s leaves the folder as it is', (command, message) => {
    const { files } = expectEnd(start(command), 1, message);
    expect(files).toEqual([]);
  });

  it('is made where it is named, or where one is asked for', () => {
    const named = start(create, { DATABASE_URL: 'sqlite:own.db' });
    expect(named.status).toBe(0);
    expect(wordsIn(named.stderr)).toBe(`Written to sqlite:${named.path}.\n`);
    expect(named.files).toContain('own.db');
    const asked = start(`${create} --create-database`);
    expect(asked.status).toBe(0);
    expect(asked.files.filter((name) => !name.startsWith('data/'))).toEqual(['data']);
    expect(start('account list', { DATABASE_URL: 'sqlite:typo.db' }).files).toEqual([]);
  });
});

it.each(['key list x', 'compress x.jpg -n', 'check', 'serve'])(
  'reports faults of the environment with exit code 2: %s',
  (command) => {
    const env = { QUALITY: 'best', DATABASE_URL: 'sqlite::memory:' };
    expectEnd(runAlone(command, env), 2, /QUALITY=best/);
  },
);

describe('serve', () => {
  it('listens on --port, whatever PORT says', async () => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: 'sqlite::memory:', WORKERS: '1', PORT: '1' };
    const service = spawn(process.execPath, [CLI, 'serve', '--port', '0'], { env });
    let logged = '';
    for await (const piece of service.stdout.iterator({ destroyOnReturn: false })) {
      logged += String(piece);
      if (logged.includes('"listening"')) break;
    }
    const [, url] = /"url":"([^"]+)"/.exec(logged) ?? [];
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    service.kill('SIGINT');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });

  it.each(['70000', 'http', '-1'])('refuses --port %s', (value) => {
    expectEnd(run(`serve --port=${value}`), 2, /It must be (an integer|from 0 to 65535)/);
  });
});

it('takes names relative to the folder where it was called, whatever npm names for another package', () => {
  const called = new Folder();
  called.put('a.png', graphicPng(40, 30));
  const script = [PROJECT.path('scripts/cli.mjs'), 'compress', '-n', 'a.png'];
  const started = (cwd: Folder, { folder: INIT_CWD }: Folder) =>
    cwd.program(process.execPath, script, { env: { ...process.env, INIT_CWD } });
  expectEnd(started(called, place), 0, /^$/);
  // npm runs the scripts of this package in its root.
  expectEnd(started(PROJECT, called), 0, /^$/);
});

it.each([
  ['--to', 'https://127.0.0.1', /an address such as http:/],
  ['--path', 'upload', /a path such as \/upload/],
  ['--path', '/upload?by=form', /without a query/],
  ['--path', '/media*', /a \*; one that ends in \/ stands for all below/],
])('the guard refuses %s %s', (option, value, message) => {
  const to = option === '--to' ? '' : '--to http://127.0.0.1:9 ';
  expectEnd(run(`guard ${to}${option} ${value}`), 2, message);
});

it('prints nothing for shells that call `completion` when they start', () => {
  expect(run('completion bash')).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it('tells its version and how it is used, whatever the environment says', () => {
  const ask = (command: string) => runAlone(command, { QUALITY: 'best' });
  expect(ask('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = ask('--help');
  expect(help.status).toBe(0);
  for (const command of ['compress', 'check', 'serve', 'account', 'key'])
    expect(help.stdout).toContain(`  ${command}`);
  expect(ask('compress --help').stdout).toMatch(/--in-place/);
});

it.each([
  ['compress', 3],
  ['check', 3],
  ['serve', 3],
  ['account create', 1],
  ['account usage', 1],
])('%s --help gives examples, at least %i, of options that exist', (command, least) => {
  const { stdout } = run(`${command} --help`);
  const isExample = new RegExp(`^ {2}.*\\bics ${command}\\b`);
  const examples = stdout.split('\n').filter((line) => isExample.test(line));
  expect(examples.length).toBeGreaterThanOrEqual(least);
  const options = examples.flatMap((line) => line.match(/(?<= )--[a-z][\w-]*/g) ?? []);
  expect(options.filter((option) => !new RegExp(`^  (-\\w, )?${option}\\b`, 'm').test(stdout))).toEqual([]);
});
