/** Examples for the help of a command, one a line. */
export function examples(...lines: readonly string[]): string {
  return [
    '',
    'Examples (in a checkout, write "npm run -s cli --" instead of "ics"):',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}
