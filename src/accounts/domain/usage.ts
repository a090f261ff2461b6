/** Usage by month. Months are calendar months in UTC, written as `2026-11`; so they sort as text. */

export interface Usage {
  /** Images returned with status 200. */
  readonly images: number;
  readonly bytesIn: number;
  readonly bytesSaved: number;
}

/** What one key used in one month. */
export interface MonthlyUsage extends Usage {
  readonly month: string;
  readonly keyId: string;
}

/** Both ends are included. */
export interface MonthRange {
  readonly from: string;
  readonly to: string;
}

/** Without a start, a range has this many months. */
const DEFAULT_MONTHS = 12;

/** Returns the month of a time, in UTC. */
export function toMonth(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** Returns the month `count` months later; a negative count goes back. */
export function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number);
  return toMonth(new Date(Date.UTC(year, number - 1 + count)));
}

/** Years 2000 to 2999. Also part of the OpenAPI document, so without flags. */
export const MONTH_PATTERN = /^2\d{3}-(0[1-9]|1[0-2])$/;

export function isMonth(text: unknown): text is string {
  return typeof text === 'string' && MONTH_PATTERN.test(text);
}

/** Returns a range of months, both of which may be absent: by default the last 12, the current one included. */
export function parseRange(from: string | undefined, to: string | undefined, now: Date): MonthRange {
  const last = to ?? toMonth(now);
  return { from: from ?? monthAfter(last, 1 - DEFAULT_MONTHS), to: last };
}
