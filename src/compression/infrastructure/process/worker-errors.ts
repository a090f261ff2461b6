/**
 * Passes the standard error of a worker on. A worker must not get the file of the service's standard error, which may be its log, and
 * code that has taken it over may write without end.
 */
import type { Readable } from 'node:stream';
import { HEARTBEAT_MS } from './heartbeat';

/** Between two heartbeats. */
const MAX_ERROR_BYTES = 256 * 1024;
const CONTROL_CHARACTERS = /[^\x20-\x7e\n\t]/g;

/** @param onFlood called with the reason when a worker writes too much; may be called again */
export function passErrorsOn(errors: Readable, onFlood: (cause: string) => void): void {
  let bytes = 0;
  let since = performance.now();
  errors.on('data', (text: Buffer) => {
    if (performance.now() - since > HEARTBEAT_MS) [bytes, since] = [0, performance.now()];
    bytes += text.length;
    if (bytes > MAX_ERROR_BYTES) onFlood('it floods its standard error');
    else process.stderr.write(quoted(text));
  });
}

/** Returns lines that command no terminal and cannot be mistaken for lines of the log. */
function quoted(text: Buffer): string {
  return text
    .toString('latin1')
    .replace(CONTROL_CHARACTERS, '?')
    .replace(/^(?=.)/gm, 'worker: ');
}
