/** Runs load-trial in a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { signalProcess } from '../process/suspension';
import { loadingFault } from '../../packages/codec-package';
import type { LoadOutcome, TrialLine } from './load-trial';
import type { Command } from './sandbox';

/** The script that loads what a worker loads. */
export const LOAD_TRIAL = join(__dirname, 'load-trial.js');
/** Longest wait for a trial, which normally takes 0.2 s. */
const TRIAL_TIMEOUT_MS = 30_000;
/** One of these is a member of each line of LOAD_TRIAL. */
const LINES = ['libraries', 'fault', 'loading'] as const;

/** Runs a command that runs LOAD_TRIAL. When the time is over, kills it and all that it has started. */
export function outcomeOf(
  { program, args, env }: Command,
  timeoutMs = TRIAL_TIMEOUT_MS,
): Promise<LoadOutcome> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    // In a process group of its own.
    const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => {
      signalProcess(child.pid && -child.pid, 'SIGKILL');
      const last = linesOf(stdout).at(-1);
      const isLoading = last && 'loading' in last;
      resolve({
        fault: isLoading ? loadingFault(last.loading) : `it took longer than ${timeoutMs / 1000} s`,
      });
    }, timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ fault: error.code === 'ENOENT' ? `it needs ${program} of util-linux` : error.message });
    });
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const last = linesOf(stdout).at(-1);
      const end = signal ?? `exit code ${code}`;
      if (!last) resolve({ fault: stderr.trim().split('\n')[0] || end });
      else resolve('loading' in last ? { fault: loadingFault(last.loading, end) } : last);
    });
  });
}

/** Returns the lines of LOAD_TRIAL, without those that packages print. */
function linesOf(output: string): TrialLine[] {
  return output.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as unknown;
      const isLine = typeof value === 'object' && value !== null && LINES.some((member) => member in value);
      return isLine ? [value as TrialLine] : [];
    } catch {
      return [];
    }
  });
}
