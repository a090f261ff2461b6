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

/** Longest output, in characters: packages may print, also without end. */
const MAX_OUTPUT_LENGTH = 2 ** 20;

/** Runs a command that runs LOAD_TRIAL. When the time is over, kills it and all that it has started. */
export function outcomeOf(
  { program, args, env }: Command,
  timeoutMs = TRIAL_TIMEOUT_MS,
): Promise<LoadOutcome> {
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    // In a process group of its own.
    const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const finish = (outcome: LoadOutcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const stop = (fault: string) => {
      signalProcess(child.pid && -child.pid, 'SIGKILL');
      finish({ fault });
    };
    const timer = setTimeout(() => {
      const last = linesOf(stdout).at(-1);
      const isLoading = last && 'loading' in last;
      stop(isLoading ? loadingFault(last.loading) : `it took longer than ${timeoutMs / 1000} s`);
    }, timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) =>
      finish({ fault: error.code === 'ENOENT' ? `it needs ${program} of util-linux` : error.message }),
    );
    const take = (out: string, err: string) => {
      [stdout, stderr] = [stdout + out, stderr + err];
      if (stdout.length + stderr.length > MAX_OUTPUT_LENGTH) stop('it prints too much');
    };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => take(piece, ''));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => take('', piece));
    child.once('close', (code, signal) => {
      const last = linesOf(stdout).at(-1);
      const end = signal ?? `exit code ${code}`;
      if (!last) finish({ fault: stderr.trim().split('\n')[0] || end });
      else finish('loading' in last ? { fault: loadingFault(last.loading, end) } : last);
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
