/**
 * Passes the standard error of a worker on. A worker must not get the file of the service's standard error, which may be its log, and
 * code that has taken it over may write without end.
 */
import type { Readable } from 'node:stream';

/** From one image to the next. Code that writes slowly could fill the log too. */
const MAX_ERROR_BYTES = 256 * 1024;
/** A longer line is broken. */
const MAX_LINE_LENGTH = 8 * 1024;
const CONTROL_CHARACTERS = /[^\x20-\x7e\n\t]/g;

/**
 * Returns a function to call when the worker is given an image.
 * @param onFlood called with the reason when a worker writes too much; may be called again
 */
export function passErrorsOn(errors: Readable, onFlood: (cause: string) => void): () => void {
  let bytes = 0;
  let line = '';
  errors.on('data', (text: Buffer) => {
    bytes += text.length;
    if (bytes > MAX_ERROR_BYTES) onFlood('it floods its standard error');
    else line = passLines(line + text.toString('latin1'));
  });
  errors.on('end', () => line && passLines(`${line}\n`));
  return () => (bytes = 0);
}

/** Writes the whole lines and returns the rest: a mark in the middle of a line would be wrong. */
function passLines(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  const rest = text.slice(end);
  const isTooLong = rest.length > MAX_LINE_LENGTH;
  const whole = isTooLong ? `${text}\n` : text.slice(0, end);
  if (whole) process.stderr.write(quoted(whole));
  return isTooLong ? '' : rest;
}

/** Returns lines that command no terminal and cannot be mistaken for lines of the log. */
function quoted(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '?').replace(/^(?=.)/gm, 'worker: ');
}
