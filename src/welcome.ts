/**
 * The text on the terminal of a person who starts the service: the URL, a key or how to get one, and a
 * command to try. Never part of a log, because it may contain a key.
 */
import { OPERATOR } from './accounts/domain/account';
import type { Settings } from './settings/settings';

/** The account of a first start; the key only if this start has created it. */
interface Operator {
  readonly key?: string | undefined;
}

export function welcome(port: number, settings: Settings, operator?: Operator): string {
  const url = `http://localhost:${port}`;
  return [
    '',
    `Image compression service: ${url} (API reference: ${url}/docs)`,
    '',
    ...linesBefore(url, settings, operator),
    `  curl ${settings.accounts.needsKey ? '-H "X-API-Key: $KEY" ' : ''}-F image=@photo.jpg localhost:${port}/api/v1/compress -o smaller.jpg`,
    '',
    '',
  ].join('\n');
}

function linesBefore(url: string, settings: Settings, operator?: Operator) {
  if (!settings.accounts.needsKey) return ['Compress a photo; no key is needed:', ''];
  const { key } = operator ?? {};
  return key === undefined ? keyLines(url, settings, operator) : operatorLines(url, settings, key);
}

/** Ends before the command that compresses. */
function keyLines(url: string, { accounts: { signup, databaseUrl }, web }: Settings, operator?: Operator) {
  // The command runs in another shell, without this environment. A PostgreSQL URL contains a password, so it is not printed.
  const isDefault = databaseUrl === 'sqlite:./data/service.db';
  const database = databaseUrl.startsWith('sqlite:') ? databaseUrl : '...';
  const command = `${isDefault ? '' : `DATABASE_URL=${database} `}npm run -s cli --`;
  return [
    ...(web.isOn ? ['Open it in a browser, or stay in the terminal.'] : []),
    operator ? `Your account is ${OPERATOR}. Create a key:` : 'Get an API key:',
    '',
    operator
      ? `  ${command} key create ${OPERATOR}`
      : signup.mode === 'open'
        ? `  curl ${url}/api/v1/accounts -H 'Content-Type: application/json' -d '{"email":"you@example.com"}'`
        : `  ${command} account create --email you@example.com`,
    '',
    'Compress a photo:',
    '',
    '  KEY=...',
  ];
}

/** Ends before the command that compresses. */
function operatorLines(url: string, { web }: Settings, key: string) {
  return [
    `This is the first start, so it created an account for you: ${OPERATOR}. Its API key is shown only now.`,
    '',
    ...(web.isOn ? ['Open the page, signed in:', '', `  ${url}/#key=${key}`, ''] : []),
    'Compress a photo, in another terminal:',
    '',
    `  KEY=${key}`,
  ];
}
