/** `key`: listing, creating and revoking the API keys of an account. */
import type { Command } from 'commander';
import { accountBy, withAccounts } from './accounts-context';
import { CliFailure } from './exit';
import { print, printKey, type JsonOption } from './output';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('list, create and revoke API keys');
  key
    .command('list <account>')
    .description('list the keys of an account (id or e-mail address), without their text')
    .option('--json', 'print one JSON object a line')
    .action(async (idOrEmail: string, { json }: JsonOption) => {
      const keys = await withAccounts(async (accounts) =>
        accounts.listKeys((await accountBy(accounts, idOrEmail)).id),
      );
      for (const { id, accountId, displayPrefix, createdAt, revokedAt } of keys) {
        const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'live';
        print(
          { accountId, keyId: id, displayPrefix, createdAt, revokedAt: revokedAt ?? null },
          `${id}  ${displayPrefix}…  created ${createdAt.toISOString()}  ${state}`,
          json,
        );
      }
    });
  key
    .command('create <account>')
    .description('add a key to an account (id or e-mail address) and print it, this once')
    .option('--json', 'print one JSON object')
    .action(async (idOrEmail: string, { json }: JsonOption) => {
      const issued = await withAccounts(async (accounts) =>
        accounts.issueKey((await accountBy(accounts, idOrEmail)).id),
      );
      if (issued) printKey(issued, json);
    });
  key
    .command('revoke <keyId>')
    .description('refuse a key from now on')
    .option('--json', 'print one JSON object')
    .action(async (keyId: string, { json }: JsonOption) => {
      const isRevoked = await withAccounts((accounts) => accounts.revokeKey(keyId));
      if (!isRevoked) throw new CliFailure(`There is no live key ${keyId}.`);
      print({ keyId, revoked: true }, `${keyId} is revoked.`, json);
    });
}
