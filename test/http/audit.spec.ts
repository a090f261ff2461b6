/** The audit trail: who changed what, in the table and in the log, without secrets and images. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../support/clock';
import { CLI } from '../support/command-line';
import { graphicPng } from '../support/images';
import { startService, type Service } from '../support/service';

const folder = mkdtempSync(join(tmpdir(), 'ics-audit-'));
const DATABASE_URL = `sqlite:${join(folder, 'service.db')}`;
const image = graphicPng(64, 64);
const clock = new Clock();
let service: Service;
const start = () => startService({ ...clock.env, DATABASE_URL, AUDIT_DAYS: '30', TRUST_PROXY: 'loopback' });
beforeAll(async () => {
  clock.setTo('2026-11-20T12:00:00Z');
  service = await start();
});
afterAll(() => service.stop());

const ics = (...args: string[]) => {
  const env = { ...clock.env, PATH: process.env['PATH'], DATABASE_URL };
  return spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' });
};
const trail = (...args: string[]) =>
  ics('audit', '--json', ...args)
    .stdout.split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

const ADDRESS = '203.0.113.9';
const SECRET = 'a-code-that-must-not-appear';

it('records who did what, in the table and in the log', async () => {
  const from = { 'X-Forwarded-For': ADDRESS };
  const signUp = await fetch(`${service.url}/api/v1/accounts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...from },
    body: JSON.stringify({ email: 'audited@example.com', code: SECRET }),
  });
  const { accountId, keyId, apiKey } = (await signUp.json()) as Record<string, string>;
  const headers = { 'X-API-Key': apiKey, ...from };
  const keys = `${service.url}/api/v1/account/keys`;
  const second = (await (await fetch(keys, { method: 'POST', headers })).json()) as Record<string, string>;
  await fetch(`${keys}/${second['keyId']}`, { method: 'DELETE', headers });
  // Neither of these changes anything.
  await fetch(`${keys}/${second['keyId']}`, { method: 'DELETE', headers });
  expect(ics('key', 'revoke', second['keyId']).status).toBe(1);
  await service.compress(image, apiKey);
  const ofCommands: string[] = [];
  const created: IssuedKey[] = [];
  for (const args of [
    ['account', 'create', '--email', 'another@example.com', '--json'],
    ['key', 'create', accountId, '--json'],
    ['account', 'suspend', accountId],
    ['account', 'resume', 'audited@example.com'],
    ['account', 'quota', accountId, '5000'],
    ['account', 'quota', accountId, 'default'],
    ['key', 'revoke', keyId],
  ]) {
    const { status, stdout, stderr } = ics(...args);
    expect([args, status]).toEqual([args, 0]);
    ofCommands.push(stderr);
    if (args[1] === 'create') created.push(JSON.parse(stdout) as IssuedKey);
  }

  const [client, user] = [`key:${keyId}`, `user:${userInfo().username}`];
  const facts = { accountId, keyId: null, detail: null, address: null };
  const expected = [
    { ...facts, event: 'account_created', keyId, by: 'visitor', address: ADDRESS },
    { ...facts, event: 'key_created', keyId: second['keyId'], by: client, address: ADDRESS },
    { ...facts, event: 'key_revoked', keyId: second['keyId'], by: client, address: ADDRESS },
    {
      ...facts,
      event: 'account_created',
      accountId: created[0].accountId,
      keyId: created[0].keyId,
      by: user,
    },
    { ...facts, event: 'key_created', keyId: created[1].keyId, by: user },
    { ...facts, event: 'account_suspended', by: user },
    { ...facts, event: 'account_resumed', by: user },
    { ...facts, event: 'quota_changed', detail: 'default to 5000', by: user },
    { ...facts, event: 'quota_changed', detail: '5000 to default', by: user },
    { ...facts, event: 'key_revoked', keyId, by: user },
  ];
  const entries = trail();
  expect(entries).toMatchObject(expected);
  expect(entries).toHaveLength(expected.length);
  expect(entries[0]['at']).toMatch(/^2026-11-20T12:/);
  expect(ics('audit').stdout.split('\n')[0]).toBe(
    `${String(entries[0]['at'])}  account_created  ${accountId}  ${keyId}  by visitor  from ${ADDRESS}`,
  );

  const lines = service.logs().filter(({ message }) => message === 'audit');
  expect(lines).toMatchObject([
    { level: 'info', event: 'account_created', accountId, keyId, by: 'visitor' },
    { event: 'key_created', accountId, keyId: second['keyId'], by: client },
    { event: 'key_revoked', accountId, keyId: second['keyId'], by: client },
  ]);
  // A command writes its lines to standard error.
  const commandLines = ofCommands
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const changes = entries.filter(({ by }) => by === user);
  expect(commandLines).toEqual(
    changes.map(({ at, event, accountId: account, keyId: key, detail, by }) => ({
      level: 'info',
      time: expect.stringMatching(String(at).slice(0, 13)) as string,
      ...{ event, accountId: account, by, message: 'audit' },
      ...(key ? { keyId: key } : {}),
      ...(detail ? { detail } : {}),
    })),
  );

  // Neither keys, digests, codes nor images; the address only in the table.
  const database = readdirSync(folder)
    .filter((name) => !name.endsWith('-reserve'))
    .map((name) => readFileSync(join(folder, name)));
  const said = `${JSON.stringify(service.logs())}${JSON.stringify(commandLines)}`;
  for (const secret of [apiKey, second['apiKey'], ...created.map((key) => key.apiKey), SECRET]) {
    for (const text of [JSON.stringify(entries), said, ofCommands.join('')]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }
    expect(database.some((bytes) => bytes.includes(secret))).toBe(false);
  }
  for (const piece of [image.subarray(8, 40), image.subarray(-40, -8)]) {
    expect(database.some((bytes) => bytes.includes(piece))).toBe(false);
    for (const form of ['base64', 'hex', 'latin1'] as const) expect(said).not.toContain(piece.toString(form));
  }
  expect(said).not.toContain(ADDRESS);
  for (const email of ['audited@example.com', 'another@example.com'])
    for (const text of [said, JSON.stringify(entries)]) expect(text).not.toContain(email);
  expect(JSON.stringify(entries)).not.toMatch(/[\da-f]{64}/);
});

it('is listed since a time', () => {
  const entries = trail();
  expect(trail('--since', '2026-11-20')).toEqual(entries);
  expect(trail('--since', String(entries[2]['at']))).toEqual(entries.slice(2));
  expect(trail('--since', '2999-01-01T00:00+01:00')).toEqual([]);
  for (const wrong of ['yesterday', '2026-13-01', '20261120'])
    expect(ics('audit', '--since', wrong).status).toBe(2);
});

it('is kept for AUDIT_DAYS', async () => {
  const count = trail().length;
  const restartAt = async (time: string) => {
    clock.setTo(time);
    await service.stop();
    service = await start();
  };
  await restartAt('2026-12-20T11:59:00Z');
  expect(trail()).toHaveLength(count);
  await restartAt('2026-12-21T12:00:00Z');
  expect(trail()).toEqual([]);
});
