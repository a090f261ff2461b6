/** Parsers for values of options that are not settings: each returns the value, or says what it must be. */
import { InvalidArgumentError } from 'commander';
import { bytesFrom } from '../contract/units';
import { IMAGE_NAME } from './images/glance';

export function integer(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 1 to 999.');
  return text;
}

/** A TCP port; 0 lets the system choose. */
export function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return text;
}

/** Returns bytes; 0 is allowed: `200000`, `200kB`, `1.5MB`, `64KiB`. */
export function byteSize(text: string): number {
  return text === '0' ? 0 : byteLimit(text);
}

/** Returns bytes, 1 or more, written the same way. */
export function byteLimit(text: string): number {
  const bytes = bytesFrom(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError('It must be a size such as 200000, 200kB or 1.5MB.');
  }
  return bytes;
}

/** Returns a score from 0 to 1. */
export function score(text: string): number {
  if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(text))
    throw new InvalidArgumentError('It must be a score from 0 to 1, such as 0.99.');
  return Number(text);
}

/** What --suffix puts before the extension of a result. */
export const resultSuffix = (text: string) => suffix(text, '.min');

/** What --backup appends to the name of an original: the backup lies beside it and is not named like an image. */
export function backupSuffix(text: string): string {
  if (!IMAGE_NAME.test(text)) return suffix(text, '.orig');
  throw new InvalidArgumentError(
    'It must not end like the name of an image: the next run would compress the backup.',
  );
}

function suffix(text: string, example: string): string {
  if (text !== '' && !/[/\\\p{Cc}]/u.test(text)) return text;
  throw new InvalidArgumentError(`It must be a suffix such as ${example}, without slashes.`);
}
