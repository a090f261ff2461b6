import type { Settings } from './settings/settings';

/** Returns the text printed at startup: the URL, how to get an API key, and a command to try. */
export function welcome(port: number, { accounts: { signup, databaseUrl }, web }: Settings): string {
  const url = `http://localhost:${port}`;
  // The commands run in another shell, without this environment. A PostgreSQL URL contains a password, so it is not printed.
  const isDefault = databaseUrl === 'sqlite:./data/service.db';
  const database = isDefault
    ? ''
    : databaseUrl.startsWith('sqlite:')
      ? `DATABASE_URL=${databaseUrl} `
      : 'DATABASE_URL=... ';
  const viaHttp = [
    `  KEY=$(curl -fsS ${url}/api/v1/accounts -H 'Content-Type: application/json' \\`,
    `    -d "{\\"email\\":\\"me+$(date +%s)@example.com\\"}" | sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/'); echo "$KEY"`,
  ];
  const viaCommandLine = [
    `  KEY=$(${database}npm run -s cli -- account create --email "me+$(date +%s)@example.com" --json | sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/'); echo "$KEY"`,
  ];
  return [
    '',
    `Image compression service: ${url} (API reference: ${url}/docs)`,
    ...(web.isOn ? ['Open it in a browser, or stay in the terminal.'] : []),
    '',
    'Get an API key:',
    '',
    ...(signup.mode === 'open' ? viaHttp : viaCommandLine),
    '',
    'Compress an image (replace the sample with your own):',
    '',
    `  curl -sS --fail-with-body -D - -o smaller.jpg -H "Authorization: Bearer $KEY" -F image=@examples/sample.jpg ${url}/api/v1/compress || grep -as '"detail"' smaller.jpg`,
    '',
    '',
  ].join('\n');
}
