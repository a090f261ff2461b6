/** Runs load-trial in a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { signalProcess } from '../process/suspension';
import type { LoadOutcome } from './load-trial';
import type { Command } from './sandbox';

/** The script that loads what a worker loads. */
export const LOAD_TRIAL = join(__dirname, 'load-trial.js');
/** Longest wait for a trial, which normally takes 0.2 s. */
const TRIAL_TIMEOUT_MS = 30_000;

/** Runs a command that runs LOAD_TRIAL. When the time is over, kills it and all that it has started. */
export function outcomeOf(
  { program, args, env }: Command,
  timeoutMs = TRIAL_TIMEOUT_MS,
): Promise<LoadOutcome> {
  return new Promise((resolve) => {
    // In a process group of its own.
    const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => {
      signalProcess(child.pid && -child.pid, 'SIGKILL');
      resolve({ fault: `it took longer than ${timeoutMs / 1000} s` });
    }, timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ fault: error.code === 'ENOENT' ? `it needs ${program} of util-linux` : error.message });
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0 && stdout) resolve(JSON.parse(stdout) as LoadOutcome);
      else resolve({ fault: stderr.trim().split('\n')[0] || signal || `exit code ${code}` });
    });
  });
}
