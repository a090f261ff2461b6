import type { IssuedKey } from '../accounts/domain/api-key';

export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

/** Shown without a stack. */
export class CliFailure extends Error {}

/** A failure caused by the arguments: nothing has been done. */
export class UsageFault extends CliFailure {}

export interface JsonOption {
  readonly json?: boolean;
}

export function print(facts: object, words: string, json?: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(facts) : words}\n`);
}

export function printKey(issued: IssuedKey, json?: boolean): void {
  const words = [
    `Account  ${issued.accountId}`,
    `Key id   ${issued.keyId}`,
    `API key  ${issued.apiKey}`,
    '',
    'The key is shown only once; the database holds nothing but its digest.',
  ];
  print(issued, words.join('\n'), json);
}
