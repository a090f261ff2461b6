/**
 * Settings that contain passwords. They are forgotten as soon as they are read, in the environment and in
 * memory, because a worker runs as the same user and could read both.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Variables whose values never appear in messages. Each can be read from a file named by the variable plus `_FILE`. */
export const SECRETS: ReadonlySet<string> = new Set(['DATABASE_URL', 'REDIS_URL']);

/** Variables that the OpenTelemetry SDK reads; they may contain access tokens. */
const SECRETS_OF_LIBRARIES = ['', 'TRACES_', 'METRICS_', 'LOGS_'].map(
  (signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`,
);

/** Removes the secrets from the environment and, on Linux, from /proc/PID/environ, where a compromised worker could read them. */
export function forgetSecrets(): void {
  const names = new Set([...SECRETS, ...SECRETS_OF_LIBRARIES]);
  for (const name of names) Reflect.deleteProperty(process.env, name);
  if (process.platform !== 'linux') return;
  try {
    eraseFromInitialBlock(names);
  } catch {
    // Some sandboxes forbid this; SECURITY.md describes the consequence.
  }
}

/** Overwrites the values in the memory that /proc/PID/environ shows. The caller has deleted them from process.env. */
function eraseFromInitialBlock(names: ReadonlySet<string>) {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // proc(5): env_start is field 50. The name of the program, field 2, may hold spaces and ends with the last ")".
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[50 - 3]);
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    let at = start;
    for (const entry of readFileSync('/proc/self/environ', 'latin1').split('\0')) {
      const valueAt = entry.indexOf('=') + 1;
      if (valueAt > 0 && names.has(entry.slice(0, valueAt - 1))) {
        const zeros = Buffer.alloc(entry.length - valueAt);
        writeSync(memory, zeros, 0, zeros.length, at + valueAt);
      }
      at += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}
