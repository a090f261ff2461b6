/** Usage by month. Months are calendar months in UTC, written as `2026-11`; so they sort as text. */

export interface Usage {
  /** Images returned with status 200. */
  readonly images: number;
  readonly bytesIn: number;
  readonly bytesSaved: number;
}

export interface MonthlyUsage extends Usage {
  readonly month: string;
  readonly keyId: string;
}

export interface MonthRange {
  readonly from: string;
  readonly to: string;
}

/** Without a start, a range has this many months. */
const DEFAULT_MONTHS = 12;

export function toMonth(time: Date): string {
  return time.toISOString().slice(0, 7);
}

export function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number);
  return toMonth(new Date(Date.UTC(year, number - 1 + count)));
}

export const MONTH_PATTERN = /^2\d{3}-(0[1-9]|1[0-2])$/;

export function isMonth(text: unknown): text is string {
  return typeof text === 'string' && MONTH_PATTERN.test(text);
}

export function parseRange(from: string | undefined, to: string | undefined, now: Date): MonthRange {
  const last = to ?? toMonth(now);
  return { from: from ?? monthAfter(last, 1 - DEFAULT_MONTHS), to: last };
}
