/**
 * Suspends worker processes by SIGSTOP. A stopped process does not notice that the service has ended, so the kernel must kill it.
 * util-linux's `setpriv` requests that, then becomes the worker process.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Prefix of a command that the kernel kills when this process ends. */
export const KILLED_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'] as const;

let isSupported: boolean | undefined;

/** Whether this system can suspend workers: Linux with util-linux 2.33 or newer, and a folder for temporary files. */
export function canSuspendProcesses(): boolean {
  return (isSupported ??= hasSetpriv() && hasTemporaryFiles());
}

function hasSetpriv(): boolean {
  const [setpriv, ...args] = KILLED_WITH_PARENT;
  return process.platform === 'linux' && spawnSync(setpriv, [...args, 'true']).status === 0;
}

function hasTemporaryFiles(): boolean {
  try {
    new Suspension().close();
    return true;
  } catch {
    return false;
  }
}

/** The variable that gives a worker the file descriptor of its Suspension. */
export const SUSPENDED_TIME_VARIABLE = 'ICS_SUSPENDED_TIME_FD';

/**
 * Suspends a process, and reports for how long: a number in a deleted file that the service writes and the process reads. The process
 * cannot measure it, and a message would arrive after the interrupted stage.
 */
export class Suspension {
  private readonly fd: number;
  /** For the process, which must not be able to write to a file outside of its sandbox. */
  readonly readFd: number;
  private totalMs = 0;
  /** On the clock of performance.now(). */
  private since: number | undefined;

  constructor() {
    const file = join(tmpdir(), `ics-suspended-${randomUUID()}`);
    this.fd = openSync(file, 'wx+', 0o600);
    this.readFd = openSync(file, 'r');
    unlinkSync(file);
  }

  suspend(pid: number | undefined): void {
    this.since = performance.now();
    signalProcess(pid, 'SIGSTOP');
  }

  resume(pid: number | undefined): void {
    if (this.since === undefined) return;
    this.add(performance.now() - this.since);
    this.since = undefined;
    signalProcess(pid, 'SIGCONT');
  }

  /** Call this before the process continues. */
  add(ms: number): void {
    this.totalMs += ms;
    writeSync(this.fd, new Uint8Array(Float64Array.of(this.totalMs).buffer), 0, 8, 0);
  }

  close(): void {
    closeSync(this.fd);
    closeSync(this.readFd);
  }
}

/** Returns a clock for the stages of a worker, in milliseconds, which stops while the process is suspended. */
export function workingTime(): () => number {
  const fd = Number(process.env[SUSPENDED_TIME_VARIABLE]);
  if (!fd) return () => performance.now();
  const total = new Float64Array(1);
  const bytes = new Uint8Array(total.buffer);
  return () => {
    readSync(fd, bytes, 0, 8, 0);
    return performance.now() - total[0];
  };
}

/** Sends a signal, unless the process has exited. */
export function signalProcess(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has exited.
  }
}
