import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Account, AccountStatus } from '../accounts/domain/account';
import { isMonth, rangeOf, type Usage } from '../accounts/domain/usage';
import { accountBy, commandLineUser, withAccounts } from './accounts-context';
import { jsonCommand } from './help';
import { CliFailure, print, printKey, UsageFault, type JsonOption } from './outcome';
import { asSize } from './report/totals';

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('create, list, suspend and resume accounts, and show their usage');
  addCreateCommand(account);
  addListCommand(account);
  addStatusCommand(account, 'suspend', 'suspended', 'refuse all keys of an account');
  addStatusCommand(account, 'resume', 'active', 'accept the keys of an account again');
  addUsageCommand(account);
}

interface CreateOptions extends JsonOption {
  readonly email: string;
  readonly createDatabase?: boolean;
}

function addCreateCommand(account: Command): void {
  jsonCommand(account, 'create', 'create an account and print its first API key, which is shown only once', [
    'ics account create --email you@example.com',
    'ics account create --email you@example.com --json',
    'DATABASE_URL=postgres://ics@db.example.com/ics ics account create --email you@example.com',
  ])
    .requiredOption('--email <address>', 'e-mail address of the account')
    .option(
      '--create-database',
      'create ./data/service.db if it does not exist; DATABASE_URL names another database',
    )
    .action(async ({ email, json, ...option }: CreateOptions) => {
      const { result, database } = await withAccounts(
        async (accounts, name) => ({
          result: await accounts.signUp(email, commandLineUser()),
          database: name,
        }),
        { mayCreate: true, ...option },
      );
      if (result === 'invalid_email')
        throw new CliFailure(
          `${email} is not an e-mail address. Give a complete one, such as you@example.com.`,
        );
      if (result === 'exists') throw new CliFailure(`${email} already has an account in ${database}.`);
      printKey(result, json);
      process.stderr.write(`Written to ${database}.\n`);
    });
}

function addListCommand(account: Command): void {
  jsonCommand(account, 'list', 'list all accounts and their usage, sorted by e-mail address', [
    'ics account list',
    'ics account list --json | jq -r .email',
    'ics account list | grep suspended',
  ]).action(async ({ json }: JsonOption) => {
    await withAccounts(async (accounts, database) => {
      let count = 0;
      for await (const one of accounts.listAccounts()) {
        printListed(one, json);
        count++;
      }
      if (count === 0) process.stderr.write(`There are no accounts in ${database}.\n`);
    });
  });
}

function printListed(account: Account, json: boolean | undefined): void {
  const { id, email, status, createdAt, usage } = account;
  const { images, bytesIn, bytesSaved } = usage;
  print(
    { accountId: id, email, status, createdAt, images, bytesIn, bytesSaved },
    `${id}  ${email}  ${status}  created ${createdAt.toISOString()}  ${usageText(usage)}`,
    json,
  );
}

function addStatusCommand(account: Command, name: string, status: AccountStatus, description: string): void {
  jsonCommand(account, `${name} <account>`, `${description} (id or e-mail address)`, [
    `ics account ${name} you@example.com`,
    `ics account ${name} 7b0f6c1e-52f4-4a55-9d0b-2f6f3b1c9e42`,
    `ics account ${name} you@example.com --json`,
  ]).action(async (idOrEmail: string, { json }: JsonOption) => {
    const accountId = await withAccounts(async (accounts) => {
      const { id } = await accountBy(accounts, idOrEmail);
      await accounts.setStatus(id, status, commandLineUser());
      return id;
    });
    print({ accountId, status }, `${accountId} is ${status}.`, json);
  });
}

interface UsageOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

function addUsageCommand(account: Command): void {
  jsonCommand(
    account,
    'usage',
    'list the usage of all accounts by month (UTC) and key, sorted by e-mail address',
    [
      'ics account usage',
      'ics account usage --from 2026-11 --to 2026-11 --json > november.jsonl',
      'ics account usage --json | jq .images',
    ],
  )
    .option('--from <month>', 'first month, such as 2026-01 (default: 11 months before the last)', month)
    .option('--to <month>', 'last month (default: the current one)', month)
    .addOption(new Option('--csv').hideHelp())
    .action(async ({ from, to, csv, json }: UsageOptions) => {
      if (csv) throw new UsageFault('--csv was removed; use --json.');
      const range = rangeOf(from, to, new Date());
      await withAccounts(async (accounts, _, usage) => {
        for await (const { id, email = '' } of accounts.listAccounts()) {
          for await (const row of usage.rows(id, range)) {
            const words = `${row.month}  ${email}  ${row.keyId}  ${usageText(row)}`;
            print({ accountId: id, email, ...row }, words, json);
          }
        }
      });
    });
}

function usageText({ images, bytesIn, bytesSaved }: Usage): string {
  return `${images} ${images === 1 ? 'image' : 'images'}, ${asSize(bytesSaved)} of ${asSize(bytesIn)} saved`;
}

function month(text: string): string {
  if (!isMonth(text)) throw new InvalidArgumentError('It must be a month such as 2026-11.');
  return text;
}
