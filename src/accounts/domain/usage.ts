/** Usage by month. Months are calendar months in UTC, written as `2026-11`; so they sort as text. */

export interface Usage {
  /** Images returned with status 200. */
  readonly images: number;
  readonly bytesIn: number;
  readonly bytesSaved: number;
}

/** What one key of an account used in one month. */
export interface MonthlyUsage extends Usage {
  readonly month: string;
  readonly keyId: string;
  /** How many of the images are variants of sets. */
  readonly variants: number;
}

/** Both months are included. */
export interface MonthRange {
  readonly from: string;
  readonly to: string;
}

/** Without a start, a range has this many months. */
const USUAL_MONTHS = 12;

/** Returns the month of a time. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** Returns the month that is `count` months after another; before it if negative. */
export function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number);
  return monthOf(new Date(Date.UTC(year, number - 1 + count)));
}

/** Returns the first moment of a month. */
export function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

/** Returns whether the text is a month of the years 2000 to 2999. */
export function isMonth(text: unknown): text is string {
  return typeof text === 'string' && /^2\d{3}-(0[1-9]|1[0-2])$/.test(text);
}

/** Returns the requested months: by default, the 12 up to the current one. */
export function rangeOf(from: string | undefined, to: string | undefined, now: Date): MonthRange {
  const last = to ?? monthOf(now);
  return { from: from ?? monthAfter(last, 1 - USUAL_MONTHS), to: last };
}

/** Adds two usages. */
export function sumOf<Sum extends Usage>(a: Sum, b: Usage): Sum {
  return {
    ...a,
    images: a.images + b.images,
    bytesIn: a.bytesIn + b.bytesIn,
    bytesSaved: a.bytesSaved + b.bytesSaved,
  };
}

/** Spreadsheets run cells that begin like this, and an e-mail address may do so. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a line of comma-separated values (RFC 4180). */
export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
