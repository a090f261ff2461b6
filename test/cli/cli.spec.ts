import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLI = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'ics-cli-'));

function run(...args: string[]) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${join(folder, 'service.db')}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

describe('accounts and keys', () => {
  it('opens an account, adds, lists and revokes keys, suspends and resumes', () => {
    const created = run('account', 'create', '--email', 'a@example.com', '--json').json();
    expect(Object.keys(created)).toEqual(['accountId', 'keyId', 'apiKey']);
    const accountId = String(created['accountId']);
    const second = run('key', 'create', 'a@example.com', '--json').json();
    expect(second['accountId']).toBe(accountId);
    expect(run('key', 'revoke', String(second['keyId'])).status).toBe(0);
    const listed = run('key', 'list', accountId, '--json');
    const lines = listed.stdout.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0])).toMatchObject({ keyId: created['keyId'], revokedAt: null });
    expect((JSON.parse(lines[1]) as { revokedAt: string }).revokedAt).toMatch(/^20/);
    expect(listed.stdout).not.toContain(String(created['apiKey']));
    expect(run('account', 'suspend', accountId, '--json').json()).toEqual({ accountId, status: 'suspended' });
    expect(run('account', 'resume', 'A@example.com', '--json').json()).toEqual({
      accountId,
      status: 'active',
    });
  });

  it('shows the key to people once, in words', () => {
    expect(run('account', 'create', '--email', 'b@example.com').stdout).toMatch(/API key {2}ics_\w{33}\n/);
  });

  it.each([
    [['account', 'create', '--email', 'nobody'], 1, /not an e-mail address/],
    [['account', 'suspend', 'no-such'], 1, /no account no-such/],
    [['key', 'revoke', 'no-such'], 1, /no live key/],
    [['account', 'create'], 2, /--email/],
    [['fly'], 2, /unknown command/],
  ])('%j ends with %i', (args, status, message) => {
    const result = run(...args);
    expect(result.status).toBe(status);
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/at .*\.js:\d/);
  });

  it('refuses the same address twice', () => {
    run('account', 'create', '--email', 'c@example.com');
    const again = run('account', 'create', '--email', 'C@example.com');
    expect(again.status).toBe(1);
    expect(again.stderr).toMatch(/already/);
  });
});

it('reports faults of the environment with exit code 2', () => {
  const env = { PATH: process.env['PATH'], QUALITY: 'best' };
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'key', 'list', 'x'], {
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/QUALITY=best/);
});

it('tells its version and how it is used, whatever the environment says', () => {
  const env = { PATH: process.env['PATH'], QUALITY: 'best' };
  const ask = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' });
  expect(ask('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = ask('--help');
  expect(help.status).toBe(0);
  for (const command of ['compress', 'serve', 'account', 'key'])
    expect(help.stdout).toContain(`  ${command}`);
  expect(ask('compress', '--help').stdout).toMatch(/--in-place/);
});
