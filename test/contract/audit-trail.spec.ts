/** The audit trail in every database. */
import type { AuditEntry, AuditEvent } from '../../src/accounts/domain/account';
import { auditOf, newAccount, newKey } from '../support/accounts';
import { onEachAccountStore } from '../support/databases';

onEachAccountStore((store) => {
  it('keeps an audit entry with each change, and none with a refused one', async () => {
    const since = new Date('2031-01-01T00:00:00Z');
    const entry = (event: AuditEvent, second: number, facts: Partial<AuditEntry> = {}) =>
      auditOf(event, { at: new Date(since.getTime() + second * 1000), ...facts });
    const { account, key } = newAccount();
    const address = '2001:db8::7';
    const created = entry('account_created', 0, { accountId: account.id, keyId: key.id, address });
    await store.accounts.createAccount(account, key, created);
    expect(await store.accounts.createAccount(account, key, entry('account_created', 1))).toBe(false);
    const limits = { maxActive: 1, maxRevoked: 1 };
    expect(await store.accounts.addKey(newKey(account.id), limits, entry('key_created', 2))).toBe('too_many');
    const revoked = entry('key_revoked', 3, { accountId: account.id, keyId: key.id });
    expect(await store.accounts.revokeKey(account.id, key.id, revoked)).toBe(true);
    expect(await store.accounts.revokeKey(account.id, key.id, entry('key_revoked', 4))).toBe(false);
    const limited = entry('quota_changed', 5, { accountId: account.id, detail: 'default to 9' });
    await store.accounts.setQuota(account.id, 9, limited);
    const listed = await store.accounts.listAudit(since, 100);
    expect(listed).toEqual([created, revoked, limited].map((each, i) => ({ ...each, id: listed[i].id })));
    const paged = await store.accounts.listAudit(since, 2);
    expect([...paged, ...(await store.accounts.listAudit(since, 2, paged[1].id))]).toEqual(listed);
    expect(await store.accounts.listAudit(revoked.at, 100)).toEqual(listed.slice(1));
    await store.accounts.purgeAudit(revoked.at);
    expect(await store.accounts.listAudit(since, 100)).toEqual(listed.slice(1));
  });

  it('refuses to change the audit trail', async () => {
    const { account, key } = newAccount();
    await store.accounts.createAccount(account, key, auditOf('account_created', { accountId: account.id }));
    const change = store.dataSource.query("UPDATE audit SET actor = 'another'");
    await expect(change).rejects.toThrow('append-only');
  });
});
