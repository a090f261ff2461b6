/**
 * Sizes in bytes as people write them. Settings count in mebibytes; reports use decimal units, as file
 * managers do.
 */

/** Bytes in a mebibyte. Settings named `..._MB` are in mebibytes. */
export const MEBIBYTE = 1024 * 1024;

/** Converts bytes to MiB, rounded to two decimals: 20, 0.5. */
export function mebibytes(bytes: number): number {
  return Math.round((bytes / MEBIBYTE) * 100) / 100;
}

const DECIMAL_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** At most three digits: 999 B, 12.3 kB, 1.25 MB. `decimals` fixes their number, to align columns: 12.0 kB. */
export function bytesText(bytes: number, decimals?: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let power = 0;
  let digits = '';
  do {
    const value = bytes / 1000 ** ++power;
    digits = value.toFixed(decimals ?? (value < 10 ? 2 : value < 100 ? 1 : 0));
    // A value that rounds up to a thousand gets the next unit.
  } while (Number(digits) >= 1000 && power < DECIMAL_UNITS.length);
  return `${decimals === undefined ? Number(digits) : digits} ${DECIMAL_UNITS[power - 1]}`;
}

/** Returns the change as a percentage of the size before, such as `-12.3%`. */
export function changeText(before: number, after: number): string {
  const percent = ((before > 0 ? after / before - 1 : 0) * 100).toFixed(1);
  return `${after > before ? '+' : ''}${percent}%`;
}

const BYTES_IN: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1000,
  mb: 1e6,
  kib: 1024,
  mib: MEBIBYTE,
};

/** Without flags, because the pattern is also part of the OpenAPI document. */
export const BYTES_PATTERN = /^(\d+(?:\.\d+)?) ?([bB]|[kKmM][iI]?[bB])?$/;

/** Parses bytes from text such as "200000", "200kB" or "1.5 MB", rounded down; undefined unless it is a size of 1 byte or more. */
export function bytesFrom(text: string): number | undefined {
  const [, number, unit = ''] = BYTES_PATTERN.exec(text) ?? [];
  const bytes = Math.floor(Number(number) * BYTES_IN[unit.toLowerCase()]);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
}
