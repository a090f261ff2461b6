import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readSettings, SettingsFault } from '../../../src/settings/settings';

it('has the published defaults', () => {
  expect(readSettings({})).toMatchObject({
    port: 3000,
    host: '0.0.0.0',
    databaseUrl: 'sqlite:./data/service.db',
    maxUploadBytes: 20 * 1024 * 1024,
    rateLimitPerMinute: 20,
    signup: { mode: 'open' },
    policy: {
      maxDimensionPx: 3840,
      maxPixels: 268e6,
      targetScore: 0.9914,
      minSavingsRatio: 0.02,
      keepMetadata: 'none',
    },
    trustProxy: false,
    corsOrigins: [],
  });
});

it('takes levels and scores for the quality', () => {
  const scores = ['low', 'medium', 'high', 'very-high', '0.95'].map(
    (QUALITY) => readSettings({ QUALITY }).policy.targetScore,
  );
  expect(scores).toEqual([0.9826, 0.9873, 0.9914, 0.9955, 0.95]);
});

it('takes what a rewritten file keeps of its metadata, and nothing else for it', () => {
  const kept = ['none', 'copyright', 'all'].map((KEEP_METADATA) => readSettings({ KEEP_METADATA }));
  expect(kept.map(({ policy }) => policy.keepMetadata)).toEqual(['none', 'copyright', 'all']);
  expect(() => readSettings({ KEEP_METADATA: 'gps' })).toThrow('KEEP_METADATA=gps');
});

it('takes an empty variable for one that is not set', () => {
  expect(readSettings({ PORT: '', QUALITY: '' }).port).toBe(3000);
});

it('reports every fault at once, by name', () => {
  const environment = {
    PORT: 'abc',
    QUALITY: 'best',
    DATABASE_URL: 'mysql://x',
    WORKERS: '0',
    SIGNUP: 'invite',
    MAX_UPLOAD_MB: '-1',
  };
  let faults: readonly string[] = [];
  try {
    readSettings(environment);
  } catch (error) {
    faults = (error as SettingsFault).faults;
  }
  for (const name of [
    'PORT=abc',
    'QUALITY=best',
    'DATABASE_URL:',
    'WORKERS=0',
    'SIGNUP_CODE',
    'MAX_UPLOAD_MB=-1',
  ]) {
    expect(faults.filter((fault) => fault.includes(name))).toHaveLength(1);
  }
});

it('stops the start with exit code 1 and plain words', () => {
  const main = join(__dirname, '..', '..', '..', 'dist', 'main.js');
  const env = { PATH: process.env['PATH'], PORT: '99999', WORKERS: 'two' };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/PORT=99999.*\n.*WORKERS=two/);
  expect(stderr).not.toMatch(/\.js:\d/);
});

it('repeats no password and no code in its complaints', () => {
  expect(() => readSettings({ DATABASE_URL: 'postgre://u:secret@h/d', SIGNUP_CODE: 'geheim' })).toThrow(
    expect.objectContaining({ message: expect.not.stringMatching(/secret|geheim/) as string }) as Error,
  );
});

it.each(['on', '1', '10.0.0.0/8', '127.0.0.1, ::1', 'loopback'])('takes TRUST_PROXY=%s', (TRUST_PROXY) => {
  expect(readSettings({ TRUST_PROXY }).trustProxy).toBeTruthy();
});

it.each(['yes', '1.2.3', '10.0.0.0/99', 'a.example.com'])('refuses TRUST_PROXY=%s', (TRUST_PROXY) => {
  expect(() => readSettings({ TRUST_PROXY })).toThrow(SettingsFault);
});
