/** Runs programs and prints messages. All output goes to standard error: standard output belongs to the command line. */
import { spawnSync } from 'node:child_process';

/** Runs a program; exits if it fails. */
export function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error || status !== 0)
    fail(`"${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}.`);
}

export function say(message) {
  process.stderr.write(`${message}\n`);
}

export function fail(message) {
  say(message);
  process.exit(1);
}
