/** `account`: opening, suspending and resuming accounts. */
import type { Command } from 'commander';
import type { AccountStatus } from '../accounts/domain/account';
import { accountBy, withAccounts } from './accounts-context';
import { CliFailure } from './exit';
import { print, printKey, type JsonOption } from './output';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('open, suspend and resume accounts');
  account
    .command('create')
    .description('open an account and print its first API key, this once')
    .requiredOption('--email <address>', 'e-mail address of the account')
    .option('--json', 'print one JSON object')
    .action(async ({ email, json }: JsonOption & { email: string }) => {
      const result = await withAccounts((accounts) => accounts.signUp(email));
      if (result.kind === 'invalid_email') throw new CliFailure(`${email} is not an e-mail address.`);
      if (result.kind === 'exists') throw new CliFailure(`There is an account for ${email} already.`);
      printKey(result.issued, json);
    });
  addStatusCommand(account, 'suspend', 'suspended', 'refuse all keys of an account');
  addStatusCommand(account, 'resume', 'active', 'accept the keys of an account again');
}

function addStatusCommand(account: Command, name: string, status: AccountStatus, description: string): void {
  account
    .command(`${name} <account>`)
    .description(`${description}; named by id or e-mail address`)
    .option('--json', 'print one JSON object')
    .action(async (idOrEmail: string, { json }: JsonOption) => {
      const accountId = await withAccounts(async (accounts) => {
        const { id } = await accountBy(accounts, idOrEmail);
        await accounts.setStatus(id, status);
        return id;
      });
      print({ accountId, status }, `${accountId} is ${status}.`, json);
    });
}
