/** Chooses the strongest sandbox that works on this machine, by loading the codecs in each: see load-trial.ts. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { SandboxMode } from '../../application/running/compression-runner.port';
import { loadingFault } from '../../packages/codec-package';
import { canSuspendProcesses, KILLED_WITH_PARENT, signalProcess } from '../process/suspension';
import { bubblewrap } from './bubblewrap';
import { landlock } from './landlock';
import type { LoadOutcome, TrialLine } from './load-trial';
import { NO_SANDBOX, WorkersUnusable, type Command, type Sandbox } from './sandbox';
import { filterFile } from './system-call-filter';
import { WorkerFiles } from './worker-files';

export interface SandboxRequest {
  readonly mode: SandboxMode;
  /** The script LOAD_TRIAL, and its arguments. */
  readonly trial: readonly string[];
  /** Modules and folders that workers read besides this package, as absolute paths. */
  readonly readable: readonly string[];
  /** The environment of the workers. */
  readonly env: Command['env'];
}

export interface OpenedSandbox {
  readonly sandbox: Sandbox;
  /** One sentence for the operator: the protection, and why it is not a stronger one. */
  readonly summary: string;
}

/** @throws WorkersUnusable when the required sandbox does not work, or a worker cannot load its codecs even without one */
export async function openSandbox({ mode, trial, readable, env }: SandboxRequest): Promise<OpenedSandbox> {
  if (mode === 'off')
    return { sandbox: NO_SANDBOX, summary: 'Workers are not sandboxed: it is switched off.' };
  const faults: string[] = [];
  if (process.platform === 'linux') {
    const command = { program: process.execPath, args: trial, env };
    const plain = await outcomeOf(endingWithParent(command));
    if ('fault' in plain) throw new WorkersUnusable(`The codec engine cannot start: ${plain.fault}`);
    const libraries = plain.libraries.filter((library) => isAbsolute(library) && existsSync(library));
    const files = new WorkerFiles(readable);
    // Otherwise a sandboxed process could not be found, to stop it or to watch its memory.
    const hasChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);
    if (!hasChildren) faults.push('bubblewrap: it needs a kernel with CONFIG_PROC_CHILDREN');
    const candidates = hasChildren ? [bubblewrap(files, libraries, filterFile('bubblewrap'))] : [];
    if (mode === 'auto') candidates.push(landlock(files, libraries, filterFile('landlock')));
    for (const sandbox of candidates) {
      const outcome = await outcomeOf(sandbox.confine(command));
      if ('libraries' in outcome) return { sandbox, summary: summarise(sandbox, faults) };
      faults.push(`${sandbox.protection}: ${outcome.fault}`);
    }
  } else faults.push('it needs Linux');
  if (mode === 'auto') return { sandbox: NO_SANDBOX, summary: summarise(NO_SANDBOX, faults) };
  throw new WorkersUnusable(`The required sandbox of the workers does not work here: ${reasonsOf(faults)}`);
}

/** Has the kernel end a hanging package with the service. */
function endingWithParent({ program, args, env }: Command): Command {
  if (!canSuspendProcesses()) return { program, args, env };
  const [setpriv, ...options] = KILLED_WITH_PARENT;
  return { program: setpriv, args: [...options, program, ...args], env };
}

function summarise({ protection }: Sandbox, faults: readonly string[]): string {
  const reasons = faults.length > 0 ? ` (${reasonsOf(faults)})` : '';
  const unfiltered = filterFile('landlock') === undefined;
  switch (protection) {
    case 'bubblewrap':
      return `Workers are sandboxed by bubblewrap${unfiltered ? ', but all system calls are open' : ''}${reasons}.`;
    case 'landlock':
      return `Workers are confined by Landlock${unfiltered ? ', which leaves them the network and signals' : ''}${reasons}.`;
    case 'none':
      return `Workers are not sandboxed${reasons}.`;
  }
}

const reasonsOf = (faults: readonly string[]) => [...new Set(faults)].join('; ');

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
