/** Values of options that are no settings: each parser returns the value, or says what it must be. */
import { InvalidArgumentError } from 'commander';
import { bytesFrom } from '../contract/units';
import { IMAGE_NAME } from './images/glance';

export function wholeNumber(text: string): string {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return text;
}

/** A TCP port; 0 lets the system choose. */
export function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return text;
}

/** Bytes, 0 included: `200000`, `200kB`, `1.5MB`, `64KiB`. */
export function byteSize(text: string): number {
  return text === '0' ? 0 : byteLimit(text);
}

/** Bytes, 1 or more, written the same way. */
export function byteLimit(text: string): number {
  const bytes = bytesFrom(text);
  if (bytes === undefined) {
    throw new InvalidArgumentError('It must be a size such as 200000, 200kB or 1.5MB.');
  }
  return bytes;
}

/** What is put behind the name of an original: the result is a file beside it, and no image by its name. */
export function backupSuffix(text: string): string {
  if (text === '' || /[/\\\p{Cc}]/u.test(text)) {
    throw new InvalidArgumentError('It must be a suffix such as .orig, without slashes.');
  }
  if (IMAGE_NAME.test(text)) {
    throw new InvalidArgumentError(
      'It must not end like an image: the backup would be compressed next time.',
    );
  }
  return text;
}
