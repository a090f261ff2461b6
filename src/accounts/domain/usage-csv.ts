/** Usage as comma-separated values (RFC 4180). */

/** Spreadsheets run cells that begin like this, and an e-mail address may do so. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns one line, without the names of the columns. */
export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
