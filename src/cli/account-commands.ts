/**
 * `ics account` and `ics key`: the operator's commands on the account database, in the server's package only.
 * They work while the service runs, and print words for people or a JSON object per line.
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { KeyPosition } from '../accounts/application/account-repository.port';
import { MAX_ACTIVE_KEYS, type AccountStatus } from '../accounts/domain/account';
import type { IssuedKey } from '../accounts/domain/api-key';
import { isMonth, parseRange, type Usage } from '../accounts/domain/usage';
import { commandLineUser, findAccount, withAccounts, type Context } from './accounts-context';
import { examples } from './help';
import { CliFailure, UsageFault } from './outcome';
import { asSize } from './report/totals';

interface JsonOption {
  readonly json?: boolean;
}

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('create, list, suspend and resume accounts, and show their usage');
  add(account, 'create', 'create an account and print its first API key, which is shown only once')
    .requiredOption('--email <address>', 'e-mail address of the account')
    .option(
      '--create-database',
      'create ./data/service.db if it does not exist; DATABASE_URL names another database',
    )
    .addHelpText('after', examples('ics account create --email you@example.com'))
    .action(createAccount);
  add(account, 'list', 'list all accounts and their usage, sorted by e-mail address').action(listAccounts);
  add(account, 'suspend <account>', 'refuse all keys of an account (id or e-mail address)').action(
    (idOrEmail: string, option: JsonOption) => setStatus(idOrEmail, 'suspended', option),
  );
  add(account, 'resume <account>', 'accept the keys of an account again (id or e-mail address)').action(
    (idOrEmail: string, option: JsonOption) => setStatus(idOrEmail, 'active', option),
  );
  add(account, 'usage', 'list the usage of all accounts by month (UTC) and key, sorted by e-mail address')
    .option('--from <month>', 'first month, such as 2026-01 (default: 11 months before the last)', month)
    .option('--to <month>', 'last month (default: the current one)', month)
    .addOption(new Option('--csv').hideHelp())
    .addHelpText('after', examples('ics account usage --from 2026-11 --to 2026-11 --json > november.jsonl'))
    .action(listUsage);

  const key = program.command('key').description('list, create and revoke API keys');
  add(key, 'list <account>', 'list the keys of an account (id or e-mail address)').action(listKeys);
  add(key, 'create <account>', 'add a key to an account (id or e-mail address) and print it').action(
    createKey,
  );
  add(key, 'revoke <keyId>', 'revoke a key; it is refused from now on').action(revokeKey);
}

function add(group: Command, name: string, description: string) {
  return group.command(name).description(description).option('--json', 'print one JSON object per line');
}

function print(facts: object, words: string, { json }: JsonOption) {
  process.stdout.write(`${json ? JSON.stringify(facts) : words}\n`);
}

interface CreateOptions extends JsonOption {
  readonly email: string;
  readonly createDatabase?: boolean;
}

function createAccount({ email, createDatabase = false, ...option }: CreateOptions) {
  const signUp = async ({ accounts, database }: Context) => {
    const result = await accounts.signUp(email, commandLineUser());
    if (result === 'invalid_email')
      throw new CliFailure(
        `${email} is not an e-mail address. Give a complete one, such as you@example.com.`,
      );
    if (result === 'exists') throw new CliFailure(`${email} already has an account in ${database}.`);
    printKey(result, option);
    process.stderr.write(`Written to ${database}.\n`);
  };
  return withAccounts({ ...option, createDatabase }, signUp);
}

function listAccounts(option: JsonOption) {
  return withAccounts(option, async ({ accounts, database }) => {
    let count = 0;
    for await (const { id, email, status, createdAt, usage } of accounts.listAccounts()) {
      const words = `${id}  ${email}  ${status}  created ${createdAt.toISOString()}  ${usageText(usage)}`;
      print({ accountId: id, email, status, createdAt, ...usage }, words, option);
      count++;
    }
    if (count === 0) process.stderr.write(`There are no accounts in ${database}.\n`);
  });
}

function setStatus(idOrEmail: string, status: AccountStatus, option: JsonOption) {
  return withAccounts(option, async ({ accounts }) => {
    const { id: accountId } = await findAccount(accounts, idOrEmail);
    await accounts.setStatus(accountId, status, commandLineUser());
    print({ accountId, status }, `${accountId} is ${status}.`, option);
  });
}

interface UsageOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

function listUsage({ from, to, csv, ...option }: UsageOptions) {
  if (csv) throw new UsageFault('--csv was removed; use --json.');
  const range = parseRange(from, to, new Date());
  if (range.from > range.to)
    throw new UsageFault('--from must not be later than --to, which is the current month by default.');
  return withAccounts(option, async ({ accounts, usage }) => {
    for await (const { id, email = '' } of accounts.listAccounts()) {
      for await (const row of usage.rows(id, range)) {
        const words = `${row.month}  ${email}  ${row.keyId}  ${usageText(row)}`;
        print({ accountId: id, email, ...row }, words, option);
      }
    }
  });
}

function listKeys(idOrEmail: string, option: JsonOption) {
  return withAccounts(option, async ({ accounts }) => {
    const { id: accountId } = await findAccount(accounts, idOrEmail);
    let after: KeyPosition | undefined;
    do {
      const page = await accounts.listKeys(accountId, after);
      for (const { id: keyId, displayPrefix, createdAt, revokedAt = null } of page.keys) {
        const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'live';
        const words = `${keyId}  ${displayPrefix}…  created ${createdAt.toISOString()}  ${state}`;
        print({ accountId, keyId, displayPrefix, createdAt, revokedAt }, words, option);
      }
      after = page.next;
    } while (after);
  });
}

async function createKey(idOrEmail: string, option: JsonOption) {
  const result = await withAccounts(option, async ({ accounts }) =>
    accounts.issueKey((await findAccount(accounts, idOrEmail)).id, commandLineUser()),
  );
  if (result === 'no_account') throw new CliFailure(`There is no account ${idOrEmail}.`);
  if (result === 'too_many')
    throw new CliFailure(`The account already has ${MAX_ACTIVE_KEYS} active keys. Revoke one first.`);
  printKey(result, option);
}

async function revokeKey(keyId: string, option: JsonOption) {
  const isRevoked = await withAccounts(option, ({ accounts }) =>
    accounts.revokeKey(keyId, commandLineUser()),
  );
  if (!isRevoked) throw new CliFailure(`There is no active key ${keyId}.`);
  print({ keyId, revoked: true }, `${keyId} is revoked.`, option);
}

function printKey(issued: IssuedKey, option: JsonOption) {
  const words = [
    `Account  ${issued.accountId}`,
    `Key id   ${issued.keyId}`,
    `API key  ${issued.apiKey}`,
    '',
    'The key is shown only once; the database holds nothing but its digest.',
  ];
  print(issued, words.join('\n'), option);
}

/** Returns such as `3 images, 2.1 MB of 4.2 MB saved`. */
function usageText({ images, bytesIn, bytesSaved }: Usage) {
  return `${images} ${images === 1 ? 'image' : 'images'}, ${asSize(bytesSaved)} of ${asSize(bytesIn)} saved`;
}

function month(text: string) {
  if (!isMonth(text)) throw new InvalidArgumentError('It must be a month such as 2026-11.');
  return text;
}
