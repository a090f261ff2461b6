/** `account usage` and `account quota`. */
import { InvalidArgumentError, type Command } from 'commander';
import { MAX_QUOTA_IMAGES } from '../accounts/accounts.settings';
import type { Account } from '../accounts/domain/account';
import { csvLine, isMonth, rangeOf, type MonthlyUsage, type Usage } from '../accounts/domain/usage';
import { accountBy, commandLineUser, withAccounts } from './accounts-context';
import { jsonCommand } from './help';
import { CliFailure, print, type JsonOption } from './outcome';
import { asSize } from './report/totals';

interface UsageOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

const CSV_COLUMNS = ['month', 'accountId', 'email', 'keyId', 'images', 'bytesIn', 'bytesSaved', 'variants'];

export function addUsageCommand(account: Command): void {
  jsonCommand(
    account,
    'usage',
    'list the usage of all accounts by month (UTC) and key, sorted by e-mail address',
    [
      'ics account usage',
      'ics account usage --from 2026-11 --to 2026-11 --csv > november.csv',
      'ics account usage --json | jq .images',
    ],
  )
    .option('--from <month>', 'first month, such as 2026-01 (default: 11 months before the last)', month)
    .option('--to <month>', 'last month (default: the current one)', month)
    .option('--csv', 'print comma-separated values with a line of names')
    .action(async ({ from, to, csv, json }: UsageOptions) => {
      const range = rangeOf(from, to, new Date());
      await withAccounts(async (accounts, _, usage) => {
        if (csv) process.stdout.write(csvLine(CSV_COLUMNS));
        for await (const one of accounts.listAccounts()) {
          for await (const row of usage.rows(one.id, range)) printUsage(one, row, csv, json);
        }
      });
    });
}

function printUsage({ id, email = '' }: Account, row: MonthlyUsage, csv?: boolean, json?: boolean): void {
  const { month, keyId, images, bytesIn, bytesSaved, variants } = row;
  if (csv) {
    process.stdout.write(csvLine([month, id, email, keyId, images, bytesIn, bytesSaved, variants]));
  } else {
    print({ accountId: id, email, ...row }, `${month}  ${email}  ${keyId}  ${usageText(row)}`, json);
  }
}

/** Returns `3 images, 2.1 MB of 4.2 MB saved`. */
export function usageText({ images, bytesIn, bytesSaved }: Usage): string {
  return `${imagesText(images)}, ${asSize(bytesSaved)} of ${asSize(bytesIn)} saved`;
}

const imagesText = (images: number) => `${images} ${images === 1 ? 'image' : 'images'}`;

export function addQuotaCommand(account: Command): void {
  jsonCommand(
    account,
    'quota <account> <images>',
    'set the images that an account (id or e-mail address) may make in a month: a number, "off", or "default" for QUOTA_IMAGES_PER_MONTH',
    [
      'ics account quota you@example.com 5000',
      'ics account quota you@example.com off',
      'ics account quota 7b0f6c1e-52f4-4a55-9d0b-2f6f3b1c9e42 default --json',
    ],
  ).action(async (idOrEmail: string, images: string, { json }: JsonOption) => {
    const quotaImages = quotaIn(images);
    const accountId = await withAccounts(async (accounts) => {
      const found = await accountBy(accounts, idOrEmail);
      if (found.trial) throw new CliFailure('A trial has no quota: TRIAL_IMAGES limits it.');
      await accounts.setQuota(found, quotaImages, commandLineUser());
      return found.id;
    });
    print(
      { accountId, quotaImages: quotaImages ?? null },
      `The quota of ${accountId} is ${quotaImages ? `${imagesText(quotaImages)} a month` : images}.`,
      json,
    );
  });
}

/** Returns undefined for the quota of the service, 0 for none. */
function quotaIn(text: string): number | undefined {
  if (text === 'default') return undefined;
  if (text === 'off') return 0;
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_QUOTA_IMAGES) return Number(text);
  throw new CliFailure(`A quota is a number from 1 to ${MAX_QUOTA_IMAGES}, "off" or "default".`);
}

function month(text: string): string {
  if (!isMonth(text)) throw new InvalidArgumentError('It must be a month such as 2026-11.');
  return text;
}
