import { userInfo } from 'node:os';
import { openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { runOnAccounts } from '../support/command-line';
import { expectEnd } from '../support/ended';
import { linesOf, startService } from '../support/service';
import { postgresUrl } from '../support/services';
import { sharedClient } from '../support/shared-service';

interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

const ADDRESS = '203.0.113.9';

const profiles = postgresUrl() ? (['default', 'postgres'] as const) : (['default'] as const);
describe.each(profiles)('on the database of the profile %s', (profile) => {
  const service = sharedClient(profile);

  const ics = (command: string) => runOnAccounts(service.databaseUrl, command);

  it('are logged by the service with actor, account, key and address', async () => {
    const headers = { 'X-Forwarded-For': ADDRESS };
    const signUp = await service.api('accounts', { headers, json: { email: 'noted@example.com' } });
    const { accountId, keyId, apiKey } = (await signUp.json()) as IssuedKey;
    const created = await service.api('account/keys', { method: 'POST', apiKey, headers });
    const second = (await created.json()) as IssuedKey;
    for (let i = 0; i < 2; i++)
      await service.api(`account/keys/${second.keyId}`, { method: 'DELETE', apiKey, headers });

    const events = service
      .logs()
      .filter((line) => /^(account|key)\./.test(String(line['message'])) && line['accountId'] === accountId);
    const byKey = { level: 'info', actor: `key:${keyId}`, address: ADDRESS, accountId, keyId: second.keyId };
    expect(events).toMatchObject([
      { ...byKey, message: 'account.created', actor: 'visitor', keyId },
      { ...byKey, message: 'key.created' },
      { ...byKey, message: 'key.revoked' },
    ]);
    expect(events).toHaveLength(3);
    const said = JSON.stringify(service.logs());
    for (const secret of [apiKey, second.apiKey, 'noted@example.com']) expect(said).not.toContain(secret);
  });

  it('are lines of the command line on standard error', () => {
    const created = ics('account create --email another@example.com --json');
    const { accountId, keyId } = JSON.parse(created.stdout) as IssuedKey;
    const actor = `user:${userInfo().username}`;
    for (const [command, message] of [
      [`account suspend ${accountId}`, 'account.suspended'],
      ['account resume another@example.com', 'account.resumed'],
      [`key revoke ${keyId}`, 'key.revoked'],
    ]) {
      expect(linesOf(ics(`${command} --json`).stderr)).toMatchObject([{ message, actor, accountId }]);
    }
    const { stdout, stderr } = ics(`key create ${accountId}`);
    expect(stdout).toContain('The key is shown only once');
    expect(stderr).toMatch(
      new RegExp(`^[\\d:]+ info key\\.created actor=${actor} accountId=${accountId} keyId=\\S+\\n$`),
    );
    const again = ics(`key revoke ${keyId}`);
    expect([again.status, linesOf(again.stderr)]).toEqual([1, []]);
    for (const removed of ['audit --json', `account quota ${accountId} 5`])
      expectEnd(ics(removed), 2, /was removed/);
  });

  it('the service says at its start how many accounts lose a quota', async () => {
    const database = await openDatabase(service.databaseUrl);
    await database.query("UPDATE accounts SET quota_images = 5 WHERE email = 'noted@example.com'");
    await database.destroy();
    const next = await startService({ DATABASE_URL: service.databaseUrl });
    const message = 'Quotas were removed; accounts that had one: 1.';
    const warnings = next.logs().filter((line) => /quota/i.test(String(line['message'])));
    expect(warnings).toMatchObject([{ level: 'warn', message }]);
    expect(await next.stop()).toBe(0);
  });
});
