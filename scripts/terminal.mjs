/** Runs programs and prints messages. All output goes to standard error: standard output belongs to the command line. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program; exits if it fails.
 * @returns {string} its output, if options say that it is read
 */
export function run(command, args, options = {}) {
  const shell = process.platform === 'win32';
  const stdio = ['ignore', 2, 2];
  const { status, error, stdout } = spawnSync(command, args, {
    ...{ stdio, shell, encoding: 'utf8', maxBuffer: 2 ** 26 },
    ...options,
  });
  if (error || status !== 0)
    fail(`"${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}.`);
  return stdout;
}

/** Runs a Node.js script beside others; exits if it fails. */
export async function runBeside(script, args) {
  const [status] = await once(
    spawn(process.execPath, [script, ...args], { stdio: ['ignore', 2, 2] }),
    'exit',
  );
  if (status !== 0) fail(`"node ${script} ${args.join(' ')}" failed.`);
}

export function say(message) {
  process.stderr.write(`${message}\n`);
}

export function fail(message) {
  say(message);
  process.exit(1);
}
