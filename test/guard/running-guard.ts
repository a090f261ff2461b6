/** `ics guard` as a process, in front of an upstream. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../support/folders';

export interface Guard {
  readonly url: string;
  /** Ends the guard. Returns its lines about uploads. */
  stop(): Promise<Record<string, unknown>[]>;
}

/** Waits as long as it takes for images, so that no result depends on the machine. */
export async function startGuard(to: string, ...options: readonly string[]): Promise<Guard> {
  const engine = join(ROOT, 'dist', 'cli', 'engine.js');
  const fixed = ['--to', to, '--listen', '127.0.0.1:0', '--wait', '3000', '--jobs', '1'];
  const child = spawn(process.execPath, [engine, 'guard', ...fixed, ...options]);
  const lines: Record<string, unknown>[] = [];
  const output = createInterface(child.stdout);
  output.on('line', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  await Promise.race([once(output, 'line'), closed]);
  if (lines.length === 0) throw new Error(`The guard ended: ${errors}`);
  return {
    url: String(lines[0]['listening']),
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return lines.filter(({ method }) => method !== undefined);
    },
  };
}
