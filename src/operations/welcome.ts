import type { Settings } from '../settings/settings';

/** What is printed for a person when the service is up: where, how to get a key, and what to type. */
export function welcome(port: number, { signup, databaseUrl, web }: Settings): string {
  const url = `http://localhost:${port}`;
  // Another shell does not have our environment; a PostgreSQL address carries a password and is not repeated.
  const isDefault = databaseUrl === 'sqlite:./data/service.db';
  const database = isDefault
    ? ''
    : databaseUrl.startsWith('sqlite:')
      ? `DATABASE_URL=${databaseUrl} `
      : 'DATABASE_URL=... ';
  const viaHttp = [
    `  KEY=$(curl -s ${url}/api/v1/accounts -H 'Content-Type: application/json' \\`,
    `    -d "{\\"email\\":\\"me+$(date +%s)@example.com\\"}" | sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/')`,
  ];
  const viaCommandLine = [
    `  KEY=$(${database}npm run -s cli -- account create --email "me+$(date +%s)@example.com" --json | sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/')`,
  ];
  return [
    '',
    `Image compression service: ${url} (documentation: ${url}/docs)`,
    ...(web ? ['Open it in a browser, or stay in the terminal.'] : []),
    '',
    'Get an API key:',
    '',
    ...(signup.mode === 'open' ? viaHttp : viaCommandLine),
    '',
    'Compress an image (the sample of this repository; put your own in its place):',
    '',
    `  curl -sS -D - -o smaller.jpg -H "Authorization: Bearer $KEY" -F image=@examples/sample.jpg ${url}/api/v1/compress`,
    '',
    '',
  ].join('\n');
}
