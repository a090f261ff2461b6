import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeIndependently, graphicPng, photoJpeg, rmse } from '../support/images';

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

describe('compress', () => {
  it('writes what the service would deliver, and says what it did', async () => {
    const source = await photoJpeg(320, 240);
    writeFileSync(join(folder, 'in.jpg'), source);
    const report = run('compress', 'in.jpg', '-o', 'out.jpg', '--json').json();
    const written = readFileSync(join(folder, 'out.jpg'));
    expect(report).toMatchObject({
      input: 'in.jpg',
      originalSize: source.length,
      compressedSize: written.length,
      bytesSaved: source.length - written.length,
      skipped: false,
      width: 320,
      height: 240,
    });
    expect(report).not.toHaveProperty('skipReason');
    expect(Number(report['ssim'])).toBeGreaterThanOrEqual(0.9914);
    expect(rmse(decodeIndependently(source), decodeIndependently(written))).toBeLessThan(6);
  });

  it('takes several files into a folder, and goes on after one that cannot be read', () => {
    writeFileSync(join(folder, 'a.png'), graphicPng(64, 64));
    writeFileSync(join(folder, 'broken.png'), 'not a picture');
    const result = run('compress', 'a.png', 'broken.png', 'missing.png', '-o', 'results');
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/broken\.png: The file is neither a JPG nor a PNG/);
    expect(result.stderr).toMatch(/2 of 3/);
    expect(readdirSync(join(folder, 'results'))).toEqual(['a.png']);
  });

  it('refuses two images of one name, before it writes anything', () => {
    const result = run('compress', 'a.png', './sub/../a.png', '-o', 'twice');
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/called a\.png/);
  });

  it('leaves no half-written file behind when the output cannot be written', () => {
    const result = run('compress', 'a.png', '-o', 'no-such-folder/out.png');
    expect(result.status).toBe(1);
    expect(existsSync(join(folder, 'no-such-folder'))).toBe(false);
  });

  it('says in words why a file was kept', () => {
    run('compress', 'a.png', '-o', 'once.png');
    expect(run('compress', 'once.png', '-o', 'twice.png').stdout).toMatch(
      /kept as it is \(already-optimised\)/,
    );
    expect(readFileSync(join(folder, 'twice.png'))).toEqual(readFileSync(join(folder, 'once.png')));
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
