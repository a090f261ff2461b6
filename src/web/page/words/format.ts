/** Numbers for people. */

const number = (digits: number) => new Intl.NumberFormat('en', { maximumFractionDigits: digits });

/** Bytes in the decimal units that file managers show, three digits at most: 999 B, 12.3 kB, 1.25 MB. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 999_500 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${number(value < 10 ? 2 : value < 100 ? 1 : 0).format(value)} ${unit}`;
}

/** The saved share of the original, in whole percent; never rounded up to all of it. */
export function savingPercent(original: number, saved: number): number {
  return original > 0 ? Math.min(99, Math.round((saved / original) * 100)) : 0;
}

export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${number(ms < 10_000 ? 2 : 1).format(ms / 1000)} s`;
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
