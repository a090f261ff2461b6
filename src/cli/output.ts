import type { IssuedKey } from '../accounts/application/new-key';

export interface JsonOption {
  readonly json?: boolean;
}

/** One line for scripts, or words for people. */
export function print(facts: object, words: string, json?: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(facts) : words}\n`);
}

export function printKey(issued: IssuedKey, json?: boolean): void {
  const words = [
    `Account  ${issued.accountId}`,
    `Key id   ${issued.keyId}`,
    `API key  ${issued.apiKey}`,
    '',
    'The key is shown this once; only its digest is stored.',
  ];
  print(issued, words.join('\n'), json);
}
