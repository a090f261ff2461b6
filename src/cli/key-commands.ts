import type { Command } from 'commander';
import type { KeyPosition } from '../accounts/application/account-repository.port';
import { MAX_ACTIVE_KEYS, type StoredKey } from '../accounts/domain/account';
import { accountBy, commandLineUser, withAccounts } from './accounts-context';
import { jsonCommand } from './help';
import { CliFailure, print, printKey, type JsonOption } from './outcome';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('list, create and revoke API keys');
  addListCommand(key);
  addCreateCommand(key);
  addRevokeCommand(key);
}

function addListCommand(key: Command): void {
  jsonCommand(
    key,
    'list <account>',
    'list the keys of an account (id or e-mail address), by their first characters',
    [
      'ics key list you@example.com',
      'ics key list you@example.com --json',
      'ics key list you@example.com | grep live',
    ],
  ).action(async (idOrEmail: string, { json }: JsonOption) => {
    await withAccounts(async (accounts) => {
      const { id } = await accountBy(accounts, idOrEmail);
      let after: KeyPosition | undefined;
      do {
        const page = await accounts.listKeys(id, after);
        page.keys.forEach((key) => printListed(key, json));
        after = page.next;
      } while (after);
    });
  });
}

function addCreateCommand(key: Command): void {
  jsonCommand(
    key,
    'create <account>',
    'add a key to an account (id or e-mail address) and print it; it is shown only once',
    [
      'ics key create you@example.com',
      'ics key create 7b0f6c1e-52f4-4a55-9d0b-2f6f3b1c9e42',
      'ics key create you@example.com --json | jq -r .apiKey',
    ],
  ).action(async (idOrEmail: string, { json }: JsonOption) => {
    const result = await withAccounts(async (accounts) =>
      accounts.issueKey((await accountBy(accounts, idOrEmail)).id, commandLineUser()),
    );
    if (result === 'no_account') throw new CliFailure(`There is no account ${idOrEmail}.`);
    if (result === 'too_many')
      throw new CliFailure(`The account already has ${MAX_ACTIVE_KEYS} active keys. Revoke one first.`);
    printKey(result, json);
  });
}

function addRevokeCommand(key: Command): void {
  jsonCommand(key, 'revoke <keyId>', 'revoke a key; it is refused from now on', [
    'ics key revoke 3f1d2c4b-8a76-4c1e-b0a9-6d5e4f3c2b1a',
    'ics key revoke 3f1d2c4b-8a76-4c1e-b0a9-6d5e4f3c2b1a --json',
    'ics key revoke 3f1d2c4b-8a76-4c1e-b0a9-6d5e4f3c2b1a && ics key create you@example.com',
  ]).action(async (keyId: string, { json }: JsonOption) => {
    const isRevoked = await withAccounts((accounts) => accounts.revokeKey(keyId, commandLineUser()));
    if (!isRevoked) throw new CliFailure(`There is no active key ${keyId}.`);
    print({ keyId, revoked: true }, `${keyId} is revoked.`, json);
  });
}

function printListed(
  { id, accountId, displayPrefix, createdAt, revokedAt }: StoredKey,
  json: boolean | undefined,
): void {
  const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'live';
  print(
    { accountId, keyId: id, displayPrefix, createdAt, revokedAt: revokedAt ?? null },
    `${id}  ${displayPrefix}…  created ${createdAt.toISOString()}  ${state}`,
    json,
  );
}
