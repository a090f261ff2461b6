/** `audit`: who changed accounts and keys. */
import { InvalidArgumentError, type Command } from 'commander';
import type { AuditEntry } from '../accounts/domain/account';
import { withAccounts } from './accounts-context';
import { jsonCommand } from './help';
import { print, type JsonOption } from './outcome';

interface AuditOptions extends JsonOption {
  readonly since: Date;
}

export function addAuditCommand(program: Command): void {
  jsonCommand(program, 'audit', 'list sign-ups and changes of keys, accounts and quotas, oldest first', [
    'ics audit',
    'ics audit --since 2026-11-01',
    `ics audit --json | jq 'select(.event == "key_revoked")'`,
  ])
    .option(
      '--since <time>',
      'only from this day or time on, such as 2026-11-01 or 2026-11-01T09:30:00Z; UTC unless it says otherwise',
      time,
      new Date(0),
    )
    .action(async ({ since, json }: AuditOptions) => {
      await withAccounts(async (accounts) => {
        for await (const entry of accounts.listAudit(since)) printEntry(entry, json);
      });
    });
}

function printEntry(entry: AuditEntry, json: boolean | undefined): void {
  const { at, event, accountId, keyId = null, detail = null, by, address = null } = entry;
  const facts = { at, event, accountId, keyId, detail, by, address };
  const words = [at.toISOString(), event, accountId, keyId, detail, `by ${by}`, address && `from ${address}`];
  print(facts, words.filter(Boolean).join('  '), json);
}

/** A day is one in UTC; so is a time without a zone. */
function time(text: string): Date {
  const [, day, clock = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const since = new Date(`${day}${clock}${zone}`);
  if (Number.isNaN(since.getTime())) {
    throw new InvalidArgumentError('It must be a day or a time such as 2026-11-01 or 2026-11-01T09:30:00Z.');
  }
  return since;
}
